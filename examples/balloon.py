#!/usr/bin/env python3
"""Pressure of `supple static examples/balloon.yaml` over the stretch inside, beside the closed form
of an incompressible neo-Hookean sphere of 10 and 14 mm.

    supple static examples/balloon.yaml -o balloon
    examples/balloon.py balloon -o balloon.png"""
import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

INNER, OUTER, MU = 10.0, 14.0, 100.0 / 3  # mm, mm, kPa


def pressure(inside):
    """Pressure [kPa] at a stretch inside."""
    outside = (1 + (inside**3 - 1) * (INNER / OUTER) ** 3) ** (1 / 3)
    return MU * (2 / outside + 0.5 / outside**4 - 2 / inside - 0.5 / inside**4)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("-o", "--output", default="balloon.png")
    args = parser.parse_args()
    with open(args.results / "history.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    stretch = [float(row["probe.inner.x"]) / (INNER * 1e-3) for row in rows]
    kilopascals = [float(row["chamber.inside.pressure"]) / 1e3 for row in rows]
    exact = [1 + 0.01 * k for k in range(1 + round(100 * (max(stretch) - 1)))]
    figure, axes = plt.subplots(figsize=(4.8, 3.2), dpi=110, layout="constrained")
    axes.plot(exact, [pressure(x) for x in exact], color="0.6", label="closed form")
    axes.plot(stretch, kilopascals, "o", markersize=4, label="volume given, 311 cells (T10)")
    axes.set_xlabel("stretch inside [-]")
    axes.set_ylabel("pressure [kPa]")
    axes.set_title("A balloon beyond its greatest pressure", fontsize=10)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(args.output)


if __name__ == "__main__":
    main()
