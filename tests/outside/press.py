"""A FinRay finger (C3D8I, walls of two bricks) is pressed by a rigid cylinder of 20 mm by 10 mm, without friction, through
states of rest: force, length of contact, stress and time of both programs on one mesh.

CalculiX: NLGEOM, *ELASTIC, contact surface to surface with a linear penalty, the cylinder a strip of held bricks whose
faces are 0.4 mm long.  Supple: corotated law, exact cylinder.  Penalty and layer are as stiff as each other.
"""
import os
import re
import resource

import numpy

import bodies

E, NU = 10e6, .3
RADIUS, CENTRE, DEPTH, STEPS = .02, (-.02, .045, .01), .01, 10
LAYER = 10
RECIPE = ("finray", "--height", "80mm", "--base", "30mm", "--tip", "6mm", "--depth", "20mm", "--wall", "2mm", "--rib", "2mm", "--ribs", "5",
          "--base-block", "4mm", "--tip-block", "6mm", "--wall-cells", "2", "--inner-cells", "12", "--cavity-cells", "12", "--rib-cells", "2",
          "--depth-cells", "2")
THIN = .001  # of a brick behind the front face [m]
FACETS, ARC = 96, numpy.radians(60)  # of the cylinder; to each side of the direction of the press

SCENE = f"""supple: 1
time: {{step: 1 ms, end: 1 s}}
static: {{steps: {STEPS}}}
gravity: [0, 0, 0]
contact: {{layer: {LAYER}}}
materials: [{{solid: {{youngs_modulus: {E}, poissons_ratio: {NU}, density: 1000, model: corotational}}}}]
rigid:
  cylinder:
    shape: {{cylinder: {{radius: {RADIUS}, length: 0.06}}}}
    mass: 1
    pose: {{position: {list(CENTRE)}}}
    motion: [[0, 0, 0, 0, 0, 0, 0], [1, {DEPTH}, 0, 0, 0, 0, 0]]
    contact: {{friction: 0}}
soft:
  body:
    mesh: {{file: MESH}}
    material: solid
    clamp: [{{half_space: {{normal: [0, 1, 0], offset: 0.1 mm}}}}]
    contact: {{friction: 0}}
output: {{format: ascii, every: 1 s, pairs: [[cylinder, body]]}}
"""


def cylinder(first):
    """Lines of nodes and bricks of a strip of the cylinder that faces the finger; the faces S2 meet it."""
    nodes, cells = [], []
    for i in range(FACETS + 1):
        angle = ARC * (2 * i / FACETS - 1)
        for radius in (.9 * RADIUS, RADIUS):
            for z in (-.001, .021):
                nodes.append((CENTRE[0] + radius * numpy.cos(angle), CENTRE[1] + radius * numpy.sin(angle), z))
    for i in range(FACETS):
        a, b = 4 * i, 4 * i + 4  # inner low, inner high, outer low, outer high
        cells.append([a, b, b + 1, a + 1, a + 2, b + 2, b + 3, a + 3])
    return nodes, [[first + v for v in cell] for cell in cells]


def deck(mesh, name, folder):
    """Writes the input of CalculiX."""
    n, m = len(mesh.x), len(mesh.cells)
    nodes, cells = cylinder(n)
    points = numpy.vstack([mesh.x, nodes])
    for cell in cells:  # right-handed
        x = points[cell]
        if numpy.dot(numpy.cross(x[1] - x[0], x[3] - x[0]), x[4] - x[0]) < 0:
            cell[:] = cell[:4][::-1] + cell[4:][::-1]
    front = set(mesh.inside(((-1e-6, -1, -1), (1e-6, 1, 1))))
    held = mesh.inside(((-1, -1, -1), (1, 1e-4, 1)))
    stiffness = LAYER * E * (1 - NU) / ((1 + NU) * (1 - 2 * NU)) / THIN
    lines = [f"*INCLUDE, INPUT={os.path.basename(mesh.path)}",
             "*NODE, NSET=NCYLINDER", *(f"{n + 1 + i}, {p[0]:.12g}, {p[1]:.12g}, {p[2]:.12g}" for i, p in enumerate(nodes)),
             "*ELEMENT, TYPE=C3D8, ELSET=ECYLINDER", *(f"{m + 1 + i}, " + ", ".join(str(v + 1) for v in c) for i, c in enumerate(cells)),
             "*NSET, NSET=HELD", *(f"{v + 1}," for v in held),
             "*MATERIAL, NAME=SOLID", "*ELASTIC", f"{E}, {NU}",
             "*SOLID SECTION, ELSET=EALL, MATERIAL=SOLID", "*SOLID SECTION, ELSET=ECYLINDER, MATERIAL=SOLID",
             "*SURFACE, NAME=FRONT", *(f"{c + 1}, S{f}" for c, f, v in mesh.faces() if set(v) <= front),
             "*SURFACE, NAME=ROUND", *(f"{m + 1 + i}, S2" for i in range(len(cells))),
             "*SURFACE INTERACTION, NAME=SMOOTH", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", f"{stiffness}",
             "*CONTACT PAIR, INTERACTION=SMOOTH, TYPE=SURFACE TO SURFACE", "FRONT, ROUND",
             "*STEP, NLGEOM, INC=400", "*STATIC", f"{1 / STEPS}, 1., 1e-5, {1 / STEPS}", "*CONTROLS, PARAMETERS=FIELD", "1e-5, 1e-4",
             "*BOUNDARY", "HELD, 1, 3", f"NCYLINDER, 1, 1, {DEPTH}", "NCYLINDER, 2, 3",
             "*NODE PRINT, NSET=HELD, TOTALS=ONLY, FREQUENCY=1000", "RF",
             "*NODE PRINT, NSET=NALL, FREQUENCY=1000", "U",
             "*EL PRINT, ELSET=EALL, FREQUENCY=1000", "S",
             "*CONTACT FILE, FREQUENCY=1000", "CDIS, CSTR", "*END STEP"]
    with open(os.path.join(folder, name + ".inp"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def used_time(function, *arguments):
    """What it returns, and processor time of the programs that it ran [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = function(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def mises(s):
    """Of tensors xx yy zz xy xz yz."""
    return numpy.sqrt(.5 * ((s[:, 0] - s[:, 1]) ** 2 + (s[:, 1] - s[:, 2]) ** 2 + (s[:, 2] - s[:, 0]) ** 2) + 3 * (s[:, 3:] ** 2).sum(axis=1))


def pressures(path):
    """{vertex: pressure} of the last contact results of an .frd file [Pa]."""
    found, inside = {}, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(" -4"):
                inside, found = "CONTACT" in line, {} if "CONTACT" in line else found
            elif inside and line.startswith(" -1"):
                values = [float(line[i:i + 12]) for i in range(13, len(line.rstrip()), 12)]
                found[int(line[3:13]) - 1] = values[3]
            elif line.startswith(" -3"):
                inside = False
    return found


def calculix(folder, name, mesh):
    """(force, vertices in contact, mean stress of the cells, displacements)"""
    deck(mesh, name, folder)
    bodies.run(["ccx", name], folder)
    stress, force, kind = numpy.zeros((len(mesh.cells), 6)), None, ""
    u = numpy.zeros_like(mesh.x)
    with open(os.path.join(folder, name + ".dat"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if re.match(r" (displacements|stresses|total force)", line):
                kind = words[0]
            elif kind == "stresses" and len(words) == 8:
                stress[int(words[0]) - 1] += numpy.array([float(w) for w in words[2:]]) / 8
            elif kind == "displacements" and len(words) == 4:
                u[int(words[0]) - 1] = [float(w) for w in words[1:]]
            elif kind == "total" and len(words) == 3:
                force, kind = [float(w) for w in words], ""
    touching = {v for v, p in pressures(os.path.join(folder, name + ".frd")).items() if p > 0}
    return numpy.hypot(force[0], force[1]), touching, stress, u


def tensors(path):
    """Mean stress of the cells of a frame in ASCII, xx yy zz xy xz yz [Pa]."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    count = int(next(line for line in lines if line.startswith("CELL_DATA")).split()[1])
    start = next(i for i, line in enumerate(lines) if line.startswith("TENSORS cauchy_stress")) + 1
    numbers = " ".join(lines[start:start + 4 * count]).split()[:9 * count]
    s = numpy.array([float(w) for w in numbers]).reshape(count, 9)
    return s[:, [0, 4, 8, 1, 2, 5]]


def scalars(path, name):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    count = int(next(line for line in lines if line.startswith("POINT_DATA")).split()[1])
    start = next(i for i, line in enumerate(lines) if line.startswith(f"SCALARS {name} ")) + 2
    return numpy.array([float(w) for w in " ".join(lines[start:start + count]).split()[:count]])


def supple(folder, name, mesh):
    """The same of the last frame."""
    u, row = bodies.supple(name, folder, SCENE.replace("MESH", os.path.basename(mesh.path)))
    vtk = os.path.join(folder, name, "vtk")
    frame = os.path.join(vtk, sorted(f for f in os.listdir(vtk) if re.match(r"body_\d+\.vtk$", f))[-1])
    touching = set(numpy.where(scalars(frame, "contact_pressure") > 0)[0])
    return numpy.hypot(row["contact.cylinder.body.fx"], row["contact.cylinder.body.fy"]), touching, tensors(frame), u
