"""What both programs get: a mesh file, a material, held vertices, loads; and what each of them answers.

Supple reads the mesh as CalculiX does (.inp).  Loads on faces are made consistent here by a rule of our own, so that
CalculiX's nodal forces and Supple's tractions come from two pieces of code.
"""
import json
import math
import os
import re
import subprocess

import numpy

# Faces of a cell by position in its list of nodes, corners first, then the vertices on the edges (Abaqus order).
TET_FACES = [(0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 8, 7), (1, 2, 3, 5, 9, 8), (2, 0, 3, 6, 7, 9)]
BRICK_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
BRICK_FACES = [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


# CalculiX takes forces that are off by 1e-8 for an equilibrium: it gets all moduli and forces larger by this.
SCALE = 1e6


class Missed(Exception):
    """A program failed or is not there: says which and what it printed."""


def run(command, folder):
    """Output of a program; its failure is an error that shows the end of what it said."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "OMP_NUM_THREADS": "1", "CCX_NPROC_STIFFNESS": "1"})
    except FileNotFoundError as error:
        raise Missed(f"the program '{command[0]}' is not there (Debian: calculix-ccx for ccx)") from error
    except subprocess.TimeoutExpired as error:
        raise Missed(f"{' '.join(command)}: not done after two minutes") from error
    text = done.stdout + done.stderr
    if done.returncode != 0 or "*ERROR" in text:
        raise Missed(f"{' '.join(command)} in {folder} failed ({done.returncode}):\n" + "\n".join(text.splitlines()[-15:]))
    return text


class Mesh:
    """Vertices [m] and cells of an .inp file as `supple mesh` writes it."""

    def __init__(self, path):
        rows, self.type = {"*NODE": [], "*ELEMENT": []}, None
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("*"):
                    keyword = line.split(",")[0].strip()
                    self.type = re.search(r"TYPE=(\w+)", line).group(1) if keyword == "*ELEMENT" else self.type
                elif keyword in rows:
                    rows[keyword].append([float(w) for w in line.split(",")[1:]])
        self.path, self.x = path, numpy.array(rows["*NODE"])
        self.cells = numpy.array(rows["*ELEMENT"]).astype(int) - 1

    def write(self):
        """Rewrites the file with the vertices as they are now; CalculiX reads 20 characters of a number."""
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("*NODE, NSET=NALL\n")
            file.writelines(f"{i + 1}, {p[0]:.13g}, {p[1]:.13g}, {p[2]:.13g}\n" for i, p in enumerate(self.x))
            file.write(f"*ELEMENT, TYPE={self.type}, ELSET=EALL\n")
            file.writelines(f"{i + 1}, {', '.join(str(v + 1) for v in c[:10])}" + (",\n" if len(c) > 10 else "\n")
                            + (", ".join(str(v + 1) for v in c[10:]) + "\n") * (len(c) > 10) for i, c in enumerate(self.cells))

    def quadratic(self, path):
        """The same bricks as C3D20R: a vertex in the middle of each edge."""
        middle, cells = {}, []
        for cell in self.cells:
            edges = [tuple(sorted((cell[a], cell[b]))) for a, b in BRICK_EDGES]
            cells.append([*cell, *(middle.setdefault(edge, len(self.x) + len(middle)) for edge in edges)])
        mesh = Mesh.__new__(Mesh)
        mesh.path, mesh.type, mesh.cells = path, "C3D20R", numpy.array(cells)
        mesh.x = numpy.vstack([self.x, [(self.x[a] + self.x[b]) / 2 for a, b in middle]])
        mesh.write()
        return mesh

    def faces(self):
        """(cell, face number from 1, vertices) of the faces of one cell only."""
        corners, local = (4, BRICK_FACES) if self.type == "C3D8I" else (3, TET_FACES)
        width = {"C3D4": 3, "C3D10": 6, "C3D8I": 4}[self.type]
        seen = {}
        for c, cell in enumerate(self.cells):
            for f, face in enumerate(local):
                vertices = cell[list(face[:width])]
                seen.setdefault(tuple(sorted(vertices[:corners])), []).append((c, f + 1, vertices))
        return [found[0] for found in seen.values() if len(found) == 1]

    def inside(self, box):
        """Vertices in a box (lower, upper) [m]."""
        return numpy.where(((self.x >= numpy.array(box[0])) & (self.x <= numpy.array(box[1]))).all(axis=1))[0]

    def loads(self, box, force):
        """Forces at vertices [N] of a uniform traction, `force` in all, on the flat faces inside a box."""
        share, chosen = numpy.zeros(len(self.x)), set(self.inside(box))
        for _, _, v in self.faces():
            if set(v) <= chosen:
                x = self.x[v]
                if len(v) == 4:  # integral of N over a flat quad: exact by 3 x 3 points
                    for s, ws in ((-math.sqrt(.6), 5 / 9), (0, 8 / 9), (math.sqrt(.6), 5 / 9)):
                        for t, wt in ((-math.sqrt(.6), 5 / 9), (0, 8 / 9), (math.sqrt(.6), 5 / 9)):
                            n = numpy.array([(1 - s) * (1 - t), (1 + s) * (1 - t), (1 + s) * (1 + t), (1 - s) * (1 + t)]) / 4
                            ds = numpy.array([t - 1, 1 - t, 1 + t, -1 - t]) / 4 @ x
                            dt = numpy.array([s - 1, -1 - s, 1 + s, 1 - s]) / 4 @ x
                            share[v] += ws * wt * n * numpy.linalg.norm(numpy.cross(ds, dt))
                else:  # a straight triangle: its corners a third each, or with vertices on the edges these
                    share[v[-3:]] += numpy.linalg.norm(numpy.cross(x[1] - x[0], x[2] - x[0])) / 6
        if not share.sum() > 0:
            raise Missed(f"{self.path}: no face in the region of the load")
        return numpy.outer(share / share.sum(), force)


def calculix(name, folder, mesh, material, held, loads, large):
    """Displacements (n, 3) [m] and forces of the support at all vertices (n, 3) [N] by ccx."""
    # CalculiX ends an increment with forces off by half a percent unless it is told otherwise.
    step = ["*STEP, NLGEOM, INC=200", "*STATIC", ".1, 1., 1e-6, .25", "*CONTROLS, PARAMETERS=FIELD", "1e-7, 1e-6"] if large else ["*STEP", "*STATIC"]
    deck = ["*INCLUDE, INPUT=" + os.path.basename(mesh.path), "*NSET, NSET=HELD", *(f"{v + 1}," for v in held),
            "*MATERIAL, NAME=SOLID", "*ELASTIC", f"{material[0] * SCALE}, {material[1]}",
            "*SOLID SECTION, ELSET=EALL, MATERIAL=SOLID", "*BOUNDARY", "HELD, 1, 3", *step, "*CLOAD",
            *(f"{v + 1}, {c + 1}, {f * SCALE:.13g}" for v, force in enumerate(loads) for c, f in enumerate(force) if f),
            "*NODE PRINT, NSET=NALL, FREQUENCY=1000", "U, RF", "*END STEP"]
    with open(os.path.join(folder, name + ".inp"), "w", encoding="utf-8") as file:
        file.write("\n".join(deck) + "\n")
    run(["ccx", name], folder)
    tables = node_tables(os.path.join(folder, name + ".dat"), len(mesh.x))
    support = numpy.zeros_like(mesh.x)  # elsewhere RF is the load
    support[held] = tables["forces"][held] / SCALE
    return tables["displacements"], support


def node_tables(path, num_nodes):
    """The last table of each kind in a .dat file: {name: (num_nodes, 3)}."""
    tables = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] in ("displacements", "forces") and "time" in words:
                table = tables[words[0]] = numpy.full((num_nodes, 3), math.nan)
            elif len(words) == 4 and words[0].isdigit():
                table[int(words[0]) - 1] = [float(w) for w in words[1:]]
    return tables


def load_displacements(path):
    """Displacements [m] of a frame in ASCII."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    count = int(next(line for line in lines if line.startswith("POINT_DATA")).split()[1])
    start = lines.index("VECTORS displacement double") + 1
    return numpy.array([[float(w) for w in line.split()] for line in lines[start:start + count]])


def last_row(path):
    """The last row of history.csv by column."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split()
    return dict(zip(lines[0].split(","), (float(w) if w else math.nan for w in lines[-1].split(","))))


def supple(name, folder, scene):
    """Statics of a scene: displacements of its soft body 'body' at the end, last row of history.csv."""
    path, out = os.path.join(folder, name + ".yaml"), os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene)
    run([program(), "static", path, "-q", "-o", out, "--set", "output.precision=double"], folder)
    frames = sorted(f for f in os.listdir(os.path.join(out, "vtk")) if re.match(r"body_\d+\.vtk$", f))
    return load_displacements(os.path.join(out, "vtk", frames[-1])), last_row(os.path.join(out, "history.csv"))


def summary(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def program():
    return os.path.abspath(os.environ.get("SUPPLE", "build/release/supple"))
