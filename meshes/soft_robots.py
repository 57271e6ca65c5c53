#!/usr/bin/env python3
"""Bricks of the soft robots among the examples: python3 meshes/soft_robots.py [FOLDER]

    bubble.vtk   a flat membrane over a can, one cell thick: sets inner, frame
    bellows.vtk  a tube of wavy wall, one cell thick: sets inner, bottom, top
    arm.vtk      a round arm with ten discs: set base; cells discs
    pneunet.vtk  a finger of eight connected chambers: sets cavity, base; cells skin"""
import math
import pathlib
import sys


def write(path, title, points, cells, point_sets, cell_sets=None):
    """Legacy VTK; points in metres, cells of eight numbers, sets of numbers."""
    lines = ["# vtk DataFile Version 3.0", title, "ASCII", "DATASET UNSTRUCTURED_GRID",
             f"POINTS {len(points)} double"]
    lines += [" ".join(f"{x:.7g}" for x in p) for p in points]
    lines += [f"CELLS {len(cells)} {9 * len(cells)}"]
    lines += [" ".join(map(str, (8, *cell))) for cell in cells]
    lines += [f"CELL_TYPES {len(cells)}", " ".join(["12"] * len(cells))]
    for head, count, sets in (("POINT_DATA", len(points), point_sets),
                              ("CELL_DATA", len(cells), cell_sets or {})):
        lines += [f"{head} {count}"] if sets else []
        for name, members in sets.items():
            lines += [f"SCALARS region_{name} int 1", "LOOKUP_TABLE default",
                      " ".join("1" if i in members else "0" for i in range(count))]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def disc(core, rings):
    """Quadrilaterals of the unit disc: a square of core^2 in `rings` rings; and its rim."""
    points, quads, number = [], [], {}

    def add(key, x, y):
        if key not in number:
            number[key] = len(points)
            points.append((x, y))
        return number[key]

    def bulged(i, j):
        u, v = 2 * i / core - 1, 2 * j / core - 1
        size = max(abs(u), abs(v))
        round_, square = size / math.hypot(u, v) if size else 0, 1
        scale = 0.5 * (0.6 * round_ + 0.4 * square) if size else 0
        return (u * scale, v * scale) if size < 1 else (0.5 * u * (0.6 * round_ + 0.4),
                                                        0.5 * v * (0.6 * round_ + 0.4))

    for i in range(core):
        for j in range(core):
            quads.append([add((a, b), *bulged(a, b))
                          for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))])
    border = ([(i, 0) for i in range(core)] + [(core, j) for j in range(core)] +
              [(core - i, core) for i in range(core)] + [(0, core - j) for j in range(core)])
    lines = []
    for i, j in border:
        x, y = bulged(i, j)
        angle = math.atan2(2 * j / core - 1, 2 * i / core - 1)
        ends = math.cos(angle), math.sin(angle)
        lines.append([add((i, j), x, y)] + [
            add((i, j, k), x + (ends[0] - x) * k / rings, y + (ends[1] - y) * k / rings)
            for k in range(1, rings + 1)])
    for one, two in zip(lines, lines[1:] + lines[:1]):
        quads += [[one[k], one[k + 1], two[k + 1], two[k]] for k in range(rings)]
    return points, quads, [line[-1] for line in lines]


def bubble(radius=40e-3, thickness=0.4e-3, depth=100e-3, core=8, rings=6, rows=2):
    flat, quads, rim = disc(core, rings)
    inner = [(radius * x, radius * y, 0) for x, y in flat]
    outer = [(x, y, thickness) for x, y, _ in inner]
    for p in rim:
        outer[p] = *(s * (1 + thickness / radius) for s in inner[p][:2]), thickness
    frame, ring = set(rim), list(rim)
    for row in range(1, rows + 1):
        down = []
        for p in rim:
            down.append(len(inner))
            for side in (inner, outer):
                side.append((*side[p][:2], -depth * row / rows))
        frame |= set(down)
        quads += [[ring[k], down[k], down[(k + 1) % len(rim)], ring[(k + 1) % len(rim)]]
                  for k in range(len(rim))]
        ring = down
    n = len(inner)
    cells = [quad + [p + n for p in quad] for quad in quads]
    return (inner + outer, cells,
            {"inner": set(range(n)), "frame": frame | {p + n for p in frame}})


def bellows(mean=16e-3, wave=4e-3, pitch=8e-3, waves=3, wall=1e-3, along=10, around=16):
    points, cells, rows = [], [], waves * along
    for side in (-0.5, 0.5):
        for i in range(rows + 1):
            z, w = waves * pitch * i / rows, 2 * math.pi / pitch
            slope = wave * w * math.sin(w * z)
            turn = math.hypot(1, slope)
            r = mean - wave * math.cos(w * z) + side * wall / turn
            points += [(r * math.cos(a), r * math.sin(a), z - side * wall * slope / turn)
                       for a in (2 * math.pi * k / around for k in range(around))]
    n = (rows + 1) * around
    for i in range(rows):
        for k in range(around):
            quad = [i * around + k, (i + 1) * around + k, (i + 1) * around + (k + 1) % around,
                    i * around + (k + 1) % around]
            cells.append([p + n for p in quad] + quad)
    ends = {name: {p + s for p in range(first, first + around) for s in (0, n)}
            for name, first in (("bottom", 0), ("top", rows * around))}
    return points, cells, {"inner": set(range(n)), **ends}


def arm(radius=10e-3, bays=10, bay=20e-3, disc_height=2e-3, layers=3, core=2, rings=1):
    flat, quads, _ = disc(core, rings)
    heights = [0.0]
    for k in range(1, bays + 1):
        low, high = k * bay - disc_height / 2, k * bay + disc_height / 2
        heights += [heights[-1] + (low - heights[-1]) * i / layers for i in range(1, layers + 1)]
        heights.append(high)
    points = [(radius * x, radius * y, z) for z in heights for x, y in flat]
    n, cells, discs = len(flat), [], set()
    for i in range(len(heights) - 1):
        for quad in quads:
            if i % (layers + 1) == layers:
                discs.add(len(cells))
            cells.append([p + i * n for p in quad] + [p + (i + 1) * n for p in quad])
    return points, cells, {"base": set(range(n))}, {"discs": discs}


def lines_of(pieces):
    """Ends of intervals and their kinds, of pieces (kind, length in mm, number of cells)."""
    at, kinds = [0.0], []
    for kind, length, count in pieces:
        for _ in range(count):
            at.append(at[-1] + 1e-3 * length / count)
            kinds.append(kind)
    return at, kinds


def pneunet(bays=8):
    x, along = lines_of([("end", 8, 2)] + [("wall", 1.5, 1), ("room", 3.5, 2), ("wall", 1.5, 1),
                                           ("gap", 2.5, 1)] * (bays - 1) +
                        [("wall", 1.5, 1), ("room", 3.5, 2), ("wall", 1.5, 1), ("end", 4, 1)])
    y, across = lines_of([("wall", 1.5, 1), ("room", 4.5, 1), ("duct", 4, 1), ("room", 4.5, 1),
                          ("wall", 1.5, 1)])
    z, up = lines_of([("skin", 1.5, 1), ("floor", 1.5, 1), ("duct", 1.5, 1), ("roof", 2, 1),
                      ("room", 6, 2), ("top", 1.5, 1)])
    number, points, cells, skin, hollow, filled = {}, [], [], set(), set(), set()

    def corner(i, j, k):
        key = i, j, k
        if key not in number:
            number[key] = len(points)
            points.append((x[i], y[j], z[k]))
        return number[key]

    for i, a in enumerate(along):
        for j, b in enumerate(across):
            for k, c in enumerate(up):
                inside = 2 <= i < len(along) - 1
                duct = inside and b == "duct" and c == "duct"
                room = a == "room" and b != "wall" and c in ("duct", "roof", "room")
                if duct or room:
                    hollow.add((i, j, k))
                elif not (a == "gap" and c in ("room", "top")):
                    filled.add((i, j, k))
    for i, j, k in sorted(filled):
        if up[k] == "skin":
            skin.add(len(cells))
        cells.append([corner(i + p, j + q, k + r) for r in (0, 1)
                      for p, q in ((0, 0), (1, 0), (1, 1), (0, 1))])
    cavity = {number[key] for i, j, k in hollow for p in (0, 1) for q in (0, 1) for r in (0, 1)
              for key in [(i + p, j + q, k + r)] if key in number}
    base = {n for (i, _, _), n in number.items() if i == 0}
    return points, cells, {"cavity": cavity, "base": base}, {"skin": skin}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "meshes")
    write(folder / "bubble.vtk", "flat membrane over a can", *bubble())
    write(folder / "bellows.vtk", "bellows of four waves", *bellows())
    write(folder / "arm.vtk", "arm with ten discs", *arm())
    write(folder / "pneunet.vtk", "finger of eight chambers", *pneunet())


if __name__ == "__main__":
    main()
