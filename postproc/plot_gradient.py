#!/usr/bin/python3
"""Plot a gradient: d ln(quantity)/d ln(parameter), a bar for each parameter, a panel for each
quantity.  Bars of kinks are hatched; parameters whose value is 0 are listed below with their
gradient.

usage: plot_gradient.py GRADIENT_DIR [-o PNG|PDF|SVG] [-q QUANTITY]
example: plot_gradient.py out/finray_gradient -o gradient.svg
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import runs


def draw(axes, about, quantity):
    rows = [row for row in about["gradients"] if row["quantity"] == quantity["name"]]
    bars = [row for row in rows if row["logarithmic"] is not None]
    bars.sort(key=lambda row: abs(row["logarithmic"]))
    values = {p["name"]: f"{p['value']:.4g} {p['unit']}".strip() for p in about["parameters"]}
    for place, row in enumerate(bars):
        value = row["logarithmic"]
        axes.barh(
            place,
            value,
            color="tab:blue" if value >= 0 else "tab:red",
            hatch="//" if row["kink"] else None,
            edgecolor="white" if row["kink"] else "none",
        )
        text = f" {row['gradient']:.4g} {row['unit']} "
        axes.text(value, place, text, va="center", ha="left" if value >= 0 else "right", fontsize=8)
    axes.set_yticks(range(len(bars)), [f"{r['parameter']}\n{values[r['parameter']]}" for r in bars])
    axes.tick_params(axis="y", labelsize=8)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.margins(x=0.35)
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_xlabel(f"d ln {quantity['name']} / d ln parameter")
    unit = f" {quantity['unit']}" if quantity["unit"] else ""
    value = "no value" if quantity["value"] is None else f"{quantity['value']:.5g}{unit}"
    axes.set_title(f"{quantity['name']} = {value}", fontsize=10)
    others = [r for r in rows if r["logarithmic"] is None and r["gradient"] is not None]
    if others:
        text = ", ".join(f"{r['parameter']} {r['gradient']:.4g} {r['unit']}" for r in others)
        axes.text(0, -0.28, f"at 0: {text}", transform=axes.transAxes, fontsize=8, va="top")


def plot(folder, only=None):
    about = runs.load_json(os.path.join(folder, "gradient.json"))
    quantities = [q for q in about["quantities"] if only in (None, q["name"])]
    if not quantities:
        names = ", ".join(q["name"] for q in about["quantities"])
        raise runs.RunError(f"{folder} has no quantity '{only}'; known: {names}")
    height = 1.6 + 0.42 * len(about["parameters"])
    figure, axes = plt.subplots(
        1,
        len(quantities),
        figsize=(5.2 * len(quantities), height),
        squeeze=False,
        constrained_layout=True,
    )
    for panel, quantity in zip(axes[0], quantities):
        draw(panel, about, quantity)
    figure.suptitle(about["title"], fontsize=12)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gradient", metavar="GRADIENT_DIR", help="folder with gradient.json")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: DIR/gradient.png"
    )
    parser.add_argument("-q", "--quantity", help="this one alone")
    arguments = parser.parse_args()
    figure = plot(arguments.gradient, arguments.quantity)
    path = arguments.output or os.path.join(arguments.gradient, "gradient.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
