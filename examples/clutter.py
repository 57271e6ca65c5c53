#!/usr/bin/env python3
"""Write the scene of objects that fall into an open box: P3 VI-C, P0 XII-A.

    examples/clutter.py -o clutter.yaml                            # 40 objects, as in the papers
    examples/clutter.py --objects 640 -o clutter640.yaml           # 64 columns and a wider box
    examples/clutter.py --objects 160 --spacing 0.2 -o deep.yaml   # 16 columns over the papers' box

Columns of ten objects, bottom up S B S S B S S B S B: spheres of radius 5 cm (0.5236 kg) and boxes
of 10 cm (1 kg), their centres 0.15 m apart, the first at 7.5 cm, the boxes in random orientations.
The same seed gives the same scene."""
import argparse
import math
import random
import sys

COLUMN = "SBSSBSSBSB"
RADIUS, EDGE, FIRST, RISE = 0.05, 0.1, 0.075, 0.15
WIDTH, HEIGHT, THICKNESS = 0.8, 0.8, 0.04


def centres(columns, spacing):
    """Columns (x, y) on a grid that is as square as their number allows, and its numbers of
    columns."""
    ny = max(n for n in range(1, math.isqrt(columns) + 1) if columns % n == 0)
    nx = columns // ny
    return (
        [
            (spacing * (i - (nx - 1) / 2), spacing * (j - (ny - 1) / 2))
            for j in range(ny)
            for i in range(nx)
        ],
        nx,
        ny,
    )


def bin_shapes(x, y):
    """Floor and walls around x times y of free ground."""
    t, h = THICKNESS, HEIGHT
    boxes = [((x + 2 * t, y + 2 * t, t), (0, 0, -t / 2))]
    boxes += [((t, y + 2 * t, h), (s * (x + t) / 2, 0, h / 2)) for s in (-1, 1)]
    boxes += [((x, t, h), (0, s * (y + t) / 2, h / 2)) for s in (-1, 1)]
    row = (
        "      - {{shape: {{box: {{size: [{:.6g}, {:.6g}, {:.6g}]}}}}, pose: {{position: "
        "[{:.6g}, {:.6g}, {:.6g}]}}}}"
    )
    return "\n".join(["    shapes:"] + [row.format(*size, *position) for size, position in boxes])


def objects_of(columns, kinds, rng):
    """One line an object, columns side by side, layer by layer; orientations uniform on the
    rotations."""
    lines = []
    for level, kind in enumerate(kinds):
        for c, (x, y) in enumerate(columns):
            q = [rng.gauss(0, 1) for _ in range(4)]
            q = [value / math.sqrt(sum(v * v for v in q)) for value in q]
            shape = (
                f"{{sphere: {{radius: {RADIUS:g}}}}}"
                if kind == "S"
                else f"{{box: {{size: [{EDGE:g}, {EDGE:g}, {EDGE:g}]}}}}"
            )
            pose = f"position: [{x:.6g}, {y:.6g}, {FIRST + RISE * level:.6g}]"
            pose += ", quaternion: [" + ", ".join(f"{value:.9f}" for value in q) + "]"
            lines.append(
                f"  {'ball' if kind == 'S' else 'box'}{c}_{level}: {{shape: {shape}, density: "
                f"1000, pose: {{{pose}}}}}"
            )
    return "\n".join(lines)


def scene(
    objects=40,
    seed=41,
    walls=True,
    spacing=0.4,
    stiffness=1e7,
    model="lagged",
    step=2e-3,
    end=3.0,
    relaxation_time=1e-4,
    solver="{tolerance: 1.0e-5}",
    column=COLUMN,
    output="{every: 20 ms, pairs: [[all, bin]]}",
):
    """Text of the scene; stiffness [N/m] and relaxation_time [s] are those of a pair of bodies,
    column has the kinds of objects, bottom up."""
    if objects <= 0 or objects % len(column):
        raise ValueError(f"{objects} objects are no whole number of columns of {len(column)}")
    columns, nx, ny = centres(objects // len(column), spacing)
    ground = (
        bin_shapes(max(WIDTH, nx * spacing), max(WIDTH, ny * spacing))
        if walls
        else "    shape: {half_space: {}}"
    )
    return f"""# {objects} objects {'fall into an open box' if walls else 'fall on the ground'}: \
P3 VI-C, P0 XII-A.  Written by examples/clutter.py, seed {seed}.
# Two bodies in contact: stiffness {stiffness:g} N/m (in series), relaxation time of SAP \
{relaxation_time:g} s (the sum).
supple: 1
title: clutter of {objects} objects

time: {{step: {step:g}, end: {end:g}}}
solver: {solver}
contact:
  model: {model}
  stiction_tolerance: 1.0e-4
  sigma: 1.0e-3
  defaults: {{friction: 1, dissipation: 10, relaxation_time: {relaxation_time / 2:g}, resolution: \
0.025, point: {{stiffness: {2 * stiffness:.1e}}}}}

rigid:
  bin:
    fixed: true
{ground}
    contact: {{{'resolution: 1' if walls else ''}}}
{objects_of(columns, column, random.Random(seed))}

output: {output}
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--objects", type=int, default=40, help="whole columns of ten (40)")
    parser.add_argument("--seed", type=int, default=41, help="of the orientations (41)")
    parser.add_argument(
        "--no-walls", action="store_true", help="on a half space instead of in a box"
    )
    parser.add_argument(
        "--spacing",
        type=float,
        default=0.4,
        help="between columns [m] (0.4); the box is at least 0.8 m wide",
    )
    parser.add_argument(
        "--stiffness", type=float, default=1e7, help="of two bodies in contact [N/m] (1e7)"
    )
    parser.add_argument("-o", "--output", metavar="YAML", help="default: standard output")
    a = parser.parse_args()
    if a.spacing < EDGE * math.sqrt(3) or not a.stiffness > 0:
        parser.error(
            f"--spacing must be at least {EDGE * math.sqrt(3):.3f} m, a box's diagonal, and "
            f"--stiffness positive"
        )
    try:
        text = scene(a.objects, a.seed, not a.no_walls, a.spacing, a.stiffness)
    except ValueError as error:
        parser.error(str(error))
    with open(a.output, "w") if a.output else sys.stdout as file:
        file.write(text)


if __name__ == "__main__":
    main()
