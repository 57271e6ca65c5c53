#!/usr/bin/env python3
"""Write hertz_block.vtk: a quarter of a block of bricks that grow away from the corner where a ball touches it.

  examples/studies/hertz.py examples/studies/hertz_block.vtk
"""
import sys

CELLS = (0.707, 1.77, 4.4, 11, 27.6, 69)  # mm, along each axis from the contact on; a = 0.707 mm


def main():
    x = [0.0]
    for cell in CELLS:
        x.append(x[-1] + 1e-3 * cell)
    n = len(x)
    points = [(x[i], x[j], -x[k]) for k in range(n) for j in range(n) for i in range(n)]

    def at(i, j, k):
        return i + n * (j + n * k)

    cells = []
    for k in range(n - 1):
        for j in range(n - 1):
            for i in range(n - 1):
                low, high = k + 1, k  # z falls with k
                cells.append([at(i, j, low), at(i + 1, j, low), at(i + 1, j + 1, low), at(i, j + 1, low),
                              at(i, j, high), at(i + 1, j, high), at(i + 1, j + 1, high), at(i, j + 1, high)])
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("# vtk DataFile Version 3.0\nquarter of a block for Hertz's contact\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        file.write("POINTS %d double\n" % len(points))
        file.writelines("%.9g %.9g %.9g\n" % p for p in points)
        file.write("CELLS %d %d\n" % (len(cells), 9 * len(cells)))
        file.writelines("8 " + " ".join(map(str, c)) + "\n" for c in cells)
        file.write("CELL_TYPES %d\n" % len(cells))
        file.write("12\n" * len(cells))


main()
