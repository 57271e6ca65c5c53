#!/usr/bin/env python3
"""Write the scene of 160 balls that fall into a box of 0.5 m.

    examples/peers/balls.py > examples/peers/balls.yaml                   # in points
    examples/peers/balls.py --fields > examples/peers/balls_fields.yaml   # in patches
"""
import math
import sys

POINTS = """# 160 rigid balls fall into a box of 0.5 m and touch in points.  Written by \
examples/peers/balls.py.
#
#   supple run examples/peers/balls.yaml
#
# Drake (commit be259df, August 2026), one core of an AMD EPYC with AVX-512, medians after 0.8 s: \
45.5 ms a step (SAP, 26
# iterations, 374 contacts), 23.9 ms with its newer ICF solver.  Radius, mass, friction, box and \
step are the same.
"""
FIELDS = """# 160 rigid balls with pressure fields fall into a box of 0.5 m.  Written by \
examples/peers/balls.py --fields.
#
#   supple run examples/peers/balls_fields.yaml
#
# Drake (commit be259df, August 2026), one core of an AMD EPYC with AVX-512, medians after 0.8 s: \
171 ms a step (SAP, 12
# iterations, 4,972 polygons), 67 ms with its newer ICF solver.  Radius, mass, friction, modulus, \
facets of 50 mm, box and step
# are the same; our polygons are some 7,000.
"""
SCENE = """supple: 1
title: 160 balls in {what}

time: {{step: 10 ms, end: 2 s}}
contact: {{stiction_tolerance: 1.0e-4, defaults: {{friction: 0.5, resolution: \
{resolution}{point}}}}}

rigid:
  floor: {{shape: {{half_space: {{}}}}, fixed: true}}
  west: {{shape: {{half_space: {{}}}}, fixed: true, \
pose: {{position: [-250 mm, 0, 0], rpy: [0, 90 deg, 0]}}}}
  east: {{shape: {{half_space: {{}}}}, fixed: true, \
pose: {{position: [250 mm, 0, 0], rpy: [0, -90 deg, 0]}}}}
  south: {{shape: {{half_space: {{}}}}, fixed: true, \
pose: {{position: [0, -250 mm, 0], rpy: [-90 deg, 0, 0]}}}}
  north: {{shape: {{half_space: {{}}}}, fixed: true, \
pose: {{position: [0, 250 mm, 0], rpy: [90 deg, 0, 0]}}}}
{balls}

output: {{every: 20 ms, pairs: [[all, floor]]}}
"""


def main():
    fields = sys.argv[1:] == ["--fields"]
    compliant = ", contact: {compliant: {modulus: 1 MPa}}" if fields else ""
    balls = []
    for i in range(160):  # layers of 16, shifted so that none stands on another
        x, y = -0.17 + 0.11 * (i % 4) + 0.008 * math.sin(7 * i), -0.17 + 0.11 * (
            i // 4 % 4
        ) + 0.008 * math.cos(5 * i)
        balls.append(
            f"  b{i}: {{shape: {{sphere: {{radius: 50 mm}}}}, mass: 500 g{compliant}, "
            f"pose: {{position: [{x:.6f}, {y:.6f}, {0.06 + 0.11 * (i // 16):.2f}]}}}}"
        )
    print(
        (FIELDS if fields else POINTS)
        + SCENE.format(
            what="patches" if fields else "points",
            resolution="50 mm" if fields else "1 m",
            point="" if fields else ", point: {stiffness: 2.0e+5}",
            balls="\n".join(balls),
        ),
        end="",
    )


if __name__ == "__main__":
    main()
