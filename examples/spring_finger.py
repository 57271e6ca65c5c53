"""Write examples/spring_finger.inp: the two strips of spring steel of a finger whose bars are
pinned to them, each one brick of 0.2 mm through its thickness, and the sets of vertices that are
fastened.

usage: /usr/bin/python3 examples/spring_finger.py
"""
import math
import os

WIDTH, ACROSS = 28.0, 4  # of the strips [mm], cells
THICKNESS = 0.2
CELL = 3.0  # longest cell along a strip
STRIPS = {  # foot, direction [degrees], length, pins of the bars along it [mm]
    "front": ((0.0, 0.0), 90.0, 150.16, (27.0, 54.0, 81.0, 108.0)),
    "back": ((73.24, 0.0), 116.0, 167.07, (45.67, 78.69, 107.5, 132.27)),
}


def stations(length, pins):
    """Places along a strip: the pins and cells of at most CELL between them."""
    ends = (0.0, *pins, length)
    for a, b in zip(ends, ends[1:]):
        n = math.ceil((b - a) / CELL - 1e-9)
        yield from (a + (b - a) * i / n for i in range(n))
    yield length


def main():
    points, cells, sets = [], [], {"base": [], "tip": []}
    for name, ((x, y), angle, length, pins) in STRIPS.items():
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        inner = (s, -c) if name == "front" else (-s, c)  # towards the other strip
        first = len(points)
        places = list(stations(length, pins))
        sets[name] = []
        for i, along in enumerate(places):
            for side in (-0.5, 0.5):  # outside, inside
                for k in range(ACROSS + 1):
                    point = len(points) + 1
                    points.append((
                        x + along * c + side * THICKNESS * inner[0],
                        y + along * s + side * THICKNESS * inner[1],
                        WIDTH * (k / ACROSS - 0.5),
                    ))
                    if i == 0:
                        sets["base"].append(point)
                    if i == len(places) - 1:
                        sets["tip"].append(point)
                    if side > 0 and along in pins:
                        bar = f"pins_{pins.index(along) + 1}"
                        sets.setdefault(bar, []).append(point)
        row = ACROSS + 1
        for i in range(len(places) - 1):
            for k in range(ACROSS):
                a = first + 2 * row * i + k + 1
                bottom = [a, a + 2 * row, a + 2 * row + 1, a + 1]
                if name == "back":
                    bottom.reverse()
                cells.append(bottom + [p + row for p in bottom])
                sets[name].append(len(cells))
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "spring_finger.inp"), "w", encoding="utf-8") as file:
        file.write("** Strips of a finger with pinned bars, by spring_finger.py [mm]\n*NODE\n")
        for i, (x, y, z) in enumerate(points):
            file.write(f"{i + 1}, {x:.9g}, {y:.9g}, {z:.9g}\n")
        file.write("*ELEMENT, TYPE=C3D8\n")
        for i, cell in enumerate(cells):
            file.write(", ".join(str(v) for v in [i + 1] + cell) + "\n")
        for name, members in sets.items():
            kind = "ELSET" if name in STRIPS else "NSET"
            file.write(f"*{kind}, {kind}={name}\n")
            for i in range(0, len(members), 12):
                file.write(", ".join(str(m) for m in members[i : i + 12]) + "\n")
    print(f"spring_finger.inp: {len(points)} vertices, {len(cells)} bricks")


if __name__ == "__main__":
    main()
