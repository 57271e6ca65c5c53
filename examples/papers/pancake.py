"""P1 V-B, case G07: a pancake is scooped and flipped at every resolution; cost of contact search
and solution against the number of contacts, triangles around the centres of polygons."""
import json
import os

import numpy as np
from experiment import Experiment

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pancake.yaml")
SIZES = (8, 5.6, 4, 2.8, 2)  # of the cells of the pancake [mm]


def corners(folder):
    """Corners of a polygon in the mean over all frames: triangles around its centre."""
    with open(os.path.join(folder, "vtk", "contact.vtk.series")) as file:
        names = [entry["name"] for entry in json.load(file)["files"]]
    num, total = 0, 0
    for name in names:
        with open(os.path.join(folder, "vtk", name)) as file:
            words = file.read().split()
        at = words.index("CELLS") if "CELLS" in words else None
        if at is not None and int(words[at + 1]) > 0:
            n, size = int(words[at + 1]), int(words[at + 2])
            num, total = num + n, total + size - n
    return total / num


def flip(e, size):
    """Row of the table."""
    label = f"{size}mm"
    h = e.run(
        label,
        SCENE,
        {
            "rigid.pancake.contact.resolution": f"{size} mm",
            "output.every": "100 ms",
            "output.format": "ascii",
        },
    )
    folder = os.path.join(e.folder, label)
    wall = e.summary(label)["wall"]
    upright = 1 - 2 * (h["pancake.qx"][-1] ** 2 + h["pancake.qy"][-1] ** 2)
    steps = wall["total"] / wall["step_mean_ms"] * 1e3
    ms = {k: 1e3 * v / steps for k, v in wall["phases"].items()}
    solution = sum(ms[k] for k in ("rows", "analyse", "solve"))
    return [size, float(np.mean(h["contacts"])), ms["collide"], solution, corners(folder), upright]


def main():
    e = Experiment("pancake", "P1 V-B, G07")
    rows = [flip(e, size) for size in SIZES]
    e.table(
        "pancake",
        "Every resolution flips the pancake: up is -1 at the end",
        ["cells [mm]", "contacts", "search [ms]", "solution [ms]", "corners of a face", "up"],
        rows,
    )
    n, search, solution = (np.array([r[k] for r in rows]) for k in (1, 2, 3))
    slopes = [np.polyfit(np.log(n), np.log(y), 1)[0] for y in (search, solution)]
    e.table(
        "exponents",
        "Cost a step against contacts; triangles are those around the centres of polygons",
        ["quantity", "P1", "ours"],
        [
            ["exponent of the search", 1.0, slopes[0]],
            ["exponent of the solution", 1.3, slopes[1]],
            ["triangles a polygon", 4.05, float(np.mean([r[4] for r in rows]))],
        ],
    )
    e.head("Task")
    e.holds("the pancake is turned over at every resolution", all(r[5] < -0.99 for r in rows))
    e.holds("the search costs no more than contacts^1.2", slopes[0] < 1.2)
    e.holds("the solution costs no more than contacts^1.3", slopes[1] < 1.3)
    e.plot(
        "cost",
        lambda a: [
            a.loglog(n, search, "o-", label="search"),
            a.loglog(n, solution, "s-", label="solution"),
        ],
        "Cost of a step of the pancake",
        "contacts, mean",
        "time a step [ms]",
    )
    e.finish()


main()
