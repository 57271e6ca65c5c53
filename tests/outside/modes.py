"""Eigenfrequencies and buckling loads of held bodies on the same mesh: *FREQUENCY and *BUCKLE of CalculiX, `supple modes`."""
import csv
import os

import numpy

import bodies

DENSITY = 1000


def calculix(name, folder, mesh, material, held, loads, num):
    """The lowest frequencies [Hz]; with loads, (n, 3) [N], factors of them by which the body buckles."""
    step = ["*FREQUENCY", f"{num}"] if loads is None else ["*BUCKLE", f"{num}, 1e-6"]
    forces = [] if loads is None else ["*CLOAD", *(f"{v + 1}, {c + 1}, {f:.13g}" for v, force in enumerate(loads) for c, f in enumerate(force) if f)]
    deck = ["*INCLUDE, INPUT=" + os.path.basename(mesh.path), "*NSET, NSET=HELD", *(f"{v + 1}," for v in held),
            "*MATERIAL, NAME=SOLID", "*ELASTIC", f"{material[0]}, {material[1]}", "*DENSITY", f"{DENSITY}",
            "*SOLID SECTION, ELSET=EALL, MATERIAL=SOLID", "*BOUNDARY", "HELD, 1, 3", "*STEP", *step, *forces, "*END STEP"]
    with open(os.path.join(folder, name + ".inp"), "w", encoding="utf-8") as file:
        file.write("\n".join(deck) + "\n")
    bodies.run(["ccx", name], folder)
    values = []
    with open(os.path.join(folder, name + ".dat"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if len(values) < num and words and words[0] == str(len(values) + 1):
                values.append(float(words[3 if loads is None else 1]))
    return numpy.array(values)


def supple(name, folder, scene, is_buckling, num):
    path, out = os.path.join(folder, name + ".yaml"), os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene)
    bodies.run([bodies.program(), "modes", path, "-q", "-o", out, "--modes", str(num), "--set", "output.format=none"]
               + ["--buckling"] * is_buckling, folder)
    with open(os.path.join(out, "modes.csv"), encoding="utf-8") as file:
        return numpy.array([float(row["load_factor" if is_buckling else "frequency[Hz]"]) for row in csv.DictReader(file)])
