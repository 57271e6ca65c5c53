"""Write barrett_worm.obj and barrett_wheel.vtk: the meshes of examples/barrett_finger.yaml.

usage: /usr/bin/python3 examples/barrett_gears.py

Module 1 mm.  A worm of one start about x, radius 4 mm at the pitch line, whose section is a rack; a
wheel of 20 involute teeth about y, 10 mm at the pitch line, twisted by the worm's lead angle."""
import os

import numpy as np

PITCH, CELLS, TURNS = np.pi, 24, 3  # axial pitch [mm], cells of it and around, pitches in length
WORM, TIP, ROOT = 4.0, 5.0, 2.8  # radii of the worm [mm]
TEETH, THICK, LAYERS = 20, 4.0, 3  # of the wheel; its width [mm], cells of it
RADIUS, ADDENDUM, DEDENDUM, HUB = 10.0, 0.95, 1.25, 6.0  # [mm]
SLOPE = PITCH / 4 / (TIP - ROOT)  # tan of the pressure angle: a flank takes six cells


def worm():
    """A quadrilateral grid whose diagonals follow the thread, closed by two fans."""
    rows = TURNS * CELLS + 1
    x = (np.arange(rows) - rows // 2) * PITCH / CELLS
    out = []
    for i in range(rows):
        for k in range(CELLS):
            u = (i - rows // 2 - k) % CELLS  # cells from the middle of the thread
            u = min(u, CELLS - u)
            r = TIP - (TIP - ROOT) * min(max((u - 3) / 6, 0), 1)
            a = 2 * np.pi * k / CELLS
            out.append((x[i], r * np.sin(a), -r * np.cos(a)))
    out += [(x[0], 0, 0), (x[-1], 0, 0)]
    faces = []
    for k in range(CELLS):
        n = (k + 1) % CELLS
        for i in range(rows - 1):
            a, b, c, d = i * CELLS + k, i * CELLS + n, (i + 1) * CELLS + n, (i + 1) * CELLS + k
            faces += [(a, b, c), (a, c, d)]
        faces += [(len(out) - 2, n, k), (len(out) - 1, (rows - 1) * CELLS + k,
                                         (rows - 1) * CELLS + n)]
    return out, faces


def half_angle(r):
    """Half the thickness of an involute tooth as an angle; below its base circle radial."""
    base = RADIUS * np.cos(np.arctan(SLOPE))

    def involute(q):
        c = np.arccos(min(base / q, 1))
        return np.tan(c) - c

    return np.pi / 2 / TEETH + involute(RADIUS) - involute(max(r, base))


def wheel():
    """Bricks of a section, four across a tooth and two across a gap, swept along y."""
    number, points, bricks = {}, [], []
    levels = list(np.linspace(HUB, RADIUS - DEDENDUM, 3)) + list(
        np.linspace(RADIUS - DEDENDUM, RADIUS + ADDENDUM, 7))[1:]
    sector = 2 * np.pi / TEETH

    def at(tooth, column, level, layer):
        """Columns 0 to 4 across the tooth, 5 in the gap, 6 that of the next tooth's 0."""
        tooth, column = (tooth + column // 6) % TEETH, column % 6
        key = tooth, column, level, layer
        if key not in number:
            r = levels[level]
            half = half_angle(max(r, levels[2]))
            y = THICK * (layer / LAYERS - 0.5)
            angle = sector * (tooth + 0.5) + y * PITCH / (2 * np.pi * WORM) / RADIUS
            angle += half * (column - 2) / 2 if column < 5 else sector / 2
            number[key] = len(points)
            points.append((r * np.sin(angle), y, r * np.cos(angle)))
        return number[key]

    for tooth in range(TEETH):
        for level in range(len(levels) - 1):
            for column in range(6 if level < 2 else 4):
                for layer in range(LAYERS):
                    bricks.append([at(tooth, column + c, level + r, layer + t) for t in (0, 1)
                                   for c, r in ((0, 0), (0, 1), (1, 1), (1, 0))])
    return points, bricks


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    points, faces = worm()
    with open(os.path.join(folder, "barrett_worm.obj"), "w") as file:
        file.write("# A worm, by barrett_gears.py, in mm\n")
        file.writelines(f"v {x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in points)
        file.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    points, bricks = wheel()
    with open(os.path.join(folder, "barrett_wheel.vtk"), "w") as file:
        file.write("# vtk DataFile Version 3.0\nA wheel, by barrett_gears.py, in mm\nASCII\n"
                   f"DATASET UNSTRUCTURED_GRID\nPOINTS {len(points)} double\n")
        file.writelines(f"{x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in points)
        file.write(f"CELLS {len(bricks)} {9 * len(bricks)}\n")
        file.writelines("8 " + " ".join(map(str, b)) + "\n" for b in bricks)
        file.write(f"CELL_TYPES {len(bricks)}\n" + "12\n" * len(bricks))


if __name__ == "__main__":
    main()
