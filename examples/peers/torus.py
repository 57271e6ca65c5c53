#!/usr/bin/env python3
"""Write a torus of 112 vertices and 288 tetrahedra: examples/peers/torus.py >
examples/peers/torus.vtk

Axis z through the origin.  Sixteen sections, each a hexagon with its centre; between two of them
six wedges, each cut into three tetrahedra whose diagonals start at the vertex of the lowest number,
so that neighbours agree."""
import math

SECTIONS, CORNERS, MAJOR, MINOR = 16, 6, 0.060, 0.02925  # radii [m]


def vertices():
    for s in range(SECTIONS):
        turn = 2 * math.pi * s / SECTIONS
        for k in range(CORNERS + 1):  # the last is the centre
            angle, r = 2 * math.pi * k / CORNERS, MINOR if k < CORNERS else 0
            reach = MAJOR + r * math.cos(angle)
            yield reach * math.cos(turn), reach * math.sin(turn), r * math.sin(angle)


def wedges():
    width = CORNERS + 1
    for s in range(SECTIONS):
        here, there = width * s, width * ((s + 1) % SECTIONS)
        for k in range(CORNERS):
            face = (CORNERS, (k + 1) % CORNERS, k)
            yield [here + f for f in face], [there + f for f in face]


def tetrahedra(low, high):
    """Three tetrahedra of the wedge low[0..2], high[0..2]."""
    if min(high) < min(low):
        low, high = high[::-1], low[::-1]
    first = low.index(min(low))
    a, b, c = (low[(first + k) % 3] for k in range(3))
    d, e, f = (high[(first + k) % 3] for k in range(3))
    if min(b, f) < min(c, e):  # the diagonal of the face opposite of a
        return (a, b, c, f), (a, b, f, e), (a, e, f, d)
    return (a, b, c, e), (a, e, c, f), (a, e, f, d)


def main():
    points = list(vertices())
    cells = [cell for low, high in wedges() for cell in tetrahedra(low, high)]
    print(
        "# vtk DataFile Version 2.0\ntorus by examples/peers/torus.py\nASCII\nDATASET "
        "UNSTRUCTURED_GRID"
    )
    print(f"POINTS {len(points)} double")
    print("\n".join("%.9g %.9g %.9g" % p for p in points))
    print(f"CELLS {len(cells)} {5 * len(cells)}")
    print("\n".join("4 %d %d %d %d" % cell for cell in cells))
    print(f"CELL_TYPES {len(cells)}")
    print("\n".join(["10"] * len(cells)))


if __name__ == "__main__":
    main()
