#!/usr/bin/python3
"""Plot a fit: measured points with their scatter and the curve of the scene, and below it the
residuals over the scatter; held-back experiments are dashed.

usage: plot_fit.py FIT_DIR [-o PNG|PDF|SVG]
example: plot_fit.py out/finray_fit -o fit.svg
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs


def label(name, unit):
    return f"{name} [{unit}]" if unit else name


def draw(above, below, experiment, rows):
    numbers = {
        key: numpy.array([float(row[key]) for row in rows])
        for key in ("x", "measured", "scatter", "found")
    }
    order = numpy.argsort(numbers["x"])
    x, measured, scatter, found = (numbers[k][order] for k in ("x", "measured", "scatter", "found"))
    kind = "fitted" if experiment["fitted"] else "predicted"
    above.errorbar(x, measured, yerr=scatter, fmt="o", markersize=4, capsize=2, label="measured")
    above.plot(x, found, "-" if experiment["fitted"] else "--", label=kind)
    error = 100 * experiment["relative_error"]
    above.set_title(f"{experiment['name']}: {error:.2g} %", fontsize=10)
    above.set_ylabel(label(experiment["y"], experiment["y_unit"]), fontsize=7)
    above.legend(fontsize=8)
    below.axhspan(-2, 2, color="0.92")
    below.axhline(0, color="black", linewidth=0.8)
    below.plot(x, (found - measured) / scatter, "o-", markersize=4, linewidth=0.8)
    below.set_xlabel(label(experiment["x"], experiment["x_unit"]), fontsize=8)
    below.set_ylabel("residual / scatter", fontsize=8)
    for axes in (above, below):
        axes.grid(True, alpha=0.3)


def plot(folder):
    about, rows = runs.load_study(folder, "fit.json", "residuals.csv")
    experiments = about["experiments"]
    figure, axes = plt.subplots(
        2,
        len(experiments),
        figsize=(4.4 * len(experiments) + 0.6, 5),
        squeeze=False,
        sharex="col",
        height_ratios=[3, 1],
        constrained_layout=True,
    )
    for column, experiment in enumerate(experiments):
        own = [row for row in rows if row["experiment"] == experiment["name"]]
        draw(axes[0][column], axes[1][column], experiment, own)
    values = []
    for p in about["parameters"]:
        ends = [p["from_95"], p["to_95"]]
        span = "open" if None in ends else f"{ends[0]:.4g} to {ends[1]:.4g}"
        values.append(f"{p['name']} = {p['value']:.4g} ({span}) {p['unit']}".strip())
    figure.suptitle(about["title"] + "\n" + ", ".join(values), fontsize=10)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("fit", metavar="FIT_DIR", help="folder with fit.json")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: FIT_DIR/fit.png"
    )
    arguments = parser.parse_args()
    figure = plot(arguments.fit)
    path = arguments.output or os.path.join(arguments.fit, "fit.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
