"""Write examples/chain_link.obj: an oblong link of round wire, the closed surface of which TetGen
fills.

usage: /usr/bin/python3 examples/chain.py
"""
import math
import os

WIRE = 0.004  # radius of the wire [m]
BEND = 0.012  # radius of the ends, to the middle of the wire [m]
STRAIGHT = 0.02  # length of the sides [m]
ARC, ROUND, SIDE = 6, 8, 2  # segments of an end, around the wire, of a side


def path():
    """Points (x, z) of the middle of the wire and outward normals, once around."""
    for end in (1, -1):
        for i in range(ARC):
            angle = math.pi * i / ARC + (0 if end > 0 else math.pi)
            c, s = math.cos(angle), math.sin(angle)
            yield BEND * c, BEND * s + end * STRAIGHT / 2, c, s
        for i in range(SIDE):  # the side after this end
            yield -end * BEND, end * STRAIGHT * (0.5 - i / SIDE), -end, 0


def main():
    rings = list(path())
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "chain_link.obj"), "w", encoding="utf-8") as file:
        file.write("# A chain link of round wire, by chain.py: inscribed, in m\n")
        for x, z, nx, nz in rings:
            for k in range(ROUND):
                c, s = math.cos(2 * math.pi * k / ROUND), math.sin(2 * math.pi * k / ROUND)
                file.write(f"v {x + WIRE * c * nx:.9f} {WIRE * s:.9f} {z + WIRE * c * nz:.9f}\n")
        for i in range(len(rings)):
            for k in range(ROUND):
                a, b = i * ROUND + k + 1, i * ROUND + (k + 1) % ROUND + 1
                c, d = (
                    (i + 1) % len(rings) * ROUND + k + 1,
                    (i + 1) % len(rings) * ROUND + (k + 1) % ROUND + 1,
                )
                file.write(f"f {a} {b} {d}\nf {a} {d} {c}\n")


if __name__ == "__main__":
    main()
