#!/usr/bin/env python3
"""Shapes of `supple static examples/cable_finger.yaml`, and the angle of the tip over the tension
beside constant curvature: of continuous guides, and with the levers of chords between eyelets.

    supple static examples/cable_finger.yaml -o cable_finger
    examples/cable_finger.py cable_finger -o cable_finger.png"""
import argparse
import csv
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

EI, EA, D, LENGTH, BAY = 1e6 * 1e-8 / 12, 100.0, 4e-3, 90e-3, 18e-3  # N m^2, N, m
PROBES = ("at_20", "at_40", "at_60", "at_80", "at_90", "tip")


def angle(tension, has_chords):
    """Angle of the tip [rad]; chords are farther from the axis than the arc."""
    arc = curvature = tension * D / EI
    bay = BAY * (1 - tension / EA)
    for _ in range(60 if has_chords else 0):
        curvature = arc * (1 + bay**2 * curvature / (12 * D) * (1 - 1.5 * curvature * D))
    return curvature * LENGTH * (1 + tension / EA)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("-o", "--output", default="cable_finger.png")
    args = parser.parse_args()
    with open(args.results / "history.csv", encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items()}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), dpi=110, layout="constrained")
    for row in rows[::3]:
        x = [5] + [1e3 * row[f"probe.{p}.x"] for p in PROBES]
        z = [0] + [1e3 * row[f"probe.{p}.z"] for p in PROBES]
        left.plot(x, z, ".-", label=f"{row['cable.flexor.tension']:.2g} N")
    left.set_aspect("equal")
    left.set_xlabel("x [mm]")
    left.set_ylabel("z [mm]")
    left.set_title("Axis of the finger", fontsize=10)
    left.legend(frameon=False, fontsize=8)
    tension = [row["cable.flexor.tension"] for row in rows]
    turned = [math.degrees(math.atan2(row["probe.tip.x"] - row["probe.at_90.x"],
                                      row["probe.tip.z"] - row["probe.at_90.z"])) for row in rows]
    fine = [max(tension) * k / 60 for k in range(61)]
    for has_chords, style, text in ((False, "--", "arc, continuous guides"),
                                    (True, "-", "arc with five chords")):
        right.plot(fine, [math.degrees(angle(t, has_chords)) for t in fine], style, color="0.6",
                   label=text)
    right.plot(tension, turned, "o", markersize=4, label="320 bricks (H8)")
    right.set_xlabel("tension [N]")
    right.set_ylabel("angle of the tip [deg]")
    right.set_title("A cable 4 mm off the axis", fontsize=10)
    right.legend(frameon=False, fontsize=8)
    figure.savefig(args.output)


if __name__ == "__main__":
    main()
