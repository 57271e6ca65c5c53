"""A soft cube of 10 mm (C3D4, 4 x 4 x 4 bricks of six) is pressed on a rigid plate by .2 mm and slid by 1.5 mm, mu = .5:
normal and tangential force by both programs, after the press and at the end.  Small strains, linear elasticity.

CalculiX: contact surface to surface with a penalty, the plate a brick whose nodes are all held.  Supple: load steps as
long as CalculiX's.  Its contact layer and CalculiX's penalty are a thousand times as stiff as the cells behind them.
"""
import csv
import os

import bodies

E, NU, MU = 2.5e6, .3, .5
STIFFNESS = 5e12  # Pa/m
PRESS, SLIDE = 2e-4, 1.5e-3  # m
RECIPE = ("box", "--size", "10mm,10mm,10mm", "--cells", "4,4,4")

SCENE = f"""supple: 1
time: {{step: 1 ms, end: 2 s}}
static: {{steps: 20}}
gravity: [0, 0, 0]
contact: {{pairs: [{{bodies: [plate, body], stiffness: {STIFFNESS}, friction: {MU}}}]}}
materials: [{{solid: {{youngs_modulus: {E}, poissons_ratio: {NU}, density: 1000, model: linear}}}}]
rigid:
  plate: {{shape: {{half_space: {{}}}}, mass: 1, fixed: true}}
  head:
    shape: {{box: {{size: [1 mm, 1 mm, 1 mm]}}}}
    mass: 1
    pose: {{position: [0, 0, 0.1]}}
    motion: [[0, 0, 0, 0, 0, 0, 0], [1, 0, 0, {-PRESS}, 0, 0, 0], [2, {SLIDE}, 0, {-PRESS}, 0, 0, 0]]
soft:
  body:
    mesh: {{file: MESH}}
    material: solid
    pose: {{position: [0, 0, -0.1]}}
    attach: {{link: head, region: {{half_space: {{normal: [0, 0, -1], offset: -9.99 mm}}}}}}
    contact: {{dissipation: 0}}
output: {{format: ascii, every: 1 s, pairs: [[plate, body]]}}
"""


def calculix(folder, name, mesh):
    """(N, T) after the press and after the slide [N]: forces of the plate on the cube."""
    n, cells = len(mesh.x), len(mesh.cells)
    plate = [(x, y, z) for z in (-.005, 0) for x, y in ((-.005, -.005), (.015, -.005), (.015, .015), (-.005, .015))]
    top, bottom = mesh.inside(((-1, -1, .00999), (1, 1, 1))), set(mesh.inside(((-1, -1, -1), (1, 1, 1e-6))))
    deck = [f"*INCLUDE, INPUT={os.path.basename(mesh.path)}",
            "*NODE, NSET=NPLATE", *(f"{n + 1 + i}, {p[0]}, {p[1]}, {p[2]}" for i, p in enumerate(plate)),
            "*ELEMENT, TYPE=C3D8, ELSET=EPLATE", f"{cells + 1}, " + ", ".join(str(n + 1 + i) for i in range(8)),
            "*NSET, NSET=TOP", *(f"{v + 1}," for v in top),
            "*MATERIAL, NAME=SOLID", "*ELASTIC", f"{E}, {NU}",
            "*SOLID SECTION, ELSET=EALL, MATERIAL=SOLID", "*SOLID SECTION, ELSET=EPLATE, MATERIAL=SOLID",
            "*SURFACE, NAME=LOWER", *(f"{c + 1}, S{f}" for c, f, v in mesh.faces() if set(v) <= bottom),
            "*SURFACE, NAME=PLATE", f"{cells + 1}, S2",
            "*SURFACE INTERACTION, NAME=DRY", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", f"{STIFFNESS}",
            "*FRICTION", f"{MU}, {STIFFNESS / 10}",
            "*CONTACT PAIR, INTERACTION=DRY, TYPE=SURFACE TO SURFACE", "LOWER, PLATE",
            "*AMPLITUDE, NAME=PRESS", "0, 0, 1, 1, 2, 1", "*AMPLITUDE, NAME=SLIDE", "0, 0, 1, 0, 2, 1",
            "*STEP, INC=400", "*STATIC, DIRECT", ".1, 2.", "*CONTROLS, PARAMETERS=FIELD", "1e-6, 1e-6",
            "*BOUNDARY", "NPLATE, 1, 3", "TOP, 2, 2",
            "*BOUNDARY, AMPLITUDE=PRESS", f"TOP, 3, 3, {-PRESS}", "*BOUNDARY, AMPLITUDE=SLIDE", f"TOP, 1, 1, {SLIDE}",
            "*NODE PRINT, NSET=NPLATE, TOTALS=ONLY", "RF", "*END STEP"]
    with open(os.path.join(folder, name + ".inp"), "w", encoding="utf-8") as file:
        file.write("\n".join(deck) + "\n")
    bodies.run(["ccx", name], folder)
    forces, time = {}, None
    with open(os.path.join(folder, name + ".dat"), encoding="utf-8") as file:
        for line in file:
            if line.startswith(" total force"):
                time = round(float(line.split()[-1]), 6)
            elif time is not None and line.strip():
                f = [float(w) for w in line.split()]
                forces[time], time = (f[2], abs(f[0])), None
    return forces[1.0] + forces[2.0]


def supple(folder, name, mesh):
    bodies.supple(name, folder, SCENE.replace("MESH", os.path.basename(mesh.path)))
    with open(os.path.join(folder, name, "history.csv"), encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if float(r["time"]) in (1.0, 2.0)]  # pressed, slid
    softening = bodies.summary(os.path.join(folder, name))["series_softening"]["plate.body"]
    forces = [(float(r["contact.plate.body.fz"]), abs(float(r["contact.plate.body.fx"]))) for r in rows]
    return forces[0] + forces[1], softening
