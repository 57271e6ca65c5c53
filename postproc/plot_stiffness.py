#!/usr/bin/python3
"""Plot a stiffness study: tangents (lines) and secants (points) against the position on the face,
and the force of the indenters against their depth, a curve for each position.

usage: plot_stiffness.py STUDY_DIR [-o PNG|PDF|SVG]
example: plot_stiffness.py out/map -o map.svg
"""
import argparse
import csv
import math
import os
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import runs

DIRECTIONS = ("normal", "along", "across")


def number(text):
    return float(text) if text else math.nan


def load(folder):
    """Title, and the rows of each radius as numbers by column."""
    path = os.path.join(folder, "stiffness.csv")
    about = runs.load_json(os.path.join(folder, "stiffness.json"))
    by_radius = {}
    try:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                values = {key: number(text) for key, text in row.items()}
                by_radius.setdefault(values["radius [mm]"], []).append(values)
    except (OSError, KeyError, ValueError) as error:
        raise runs.RunError(f"{path} is no table of a stiffness study: {error}") from error
    return about, by_radius


def column(rows, name):
    return [row[name] for row in rows]


def draw_positions(axes, by_radius, depths):
    for style, (radius, rows) in zip(("-", "--", ":", "-.") * 2, by_radius.items()):
        x = column(rows, "position [mm]")
        for k, name in enumerate(DIRECTIONS):
            axes.plot(x, column(rows, f"tangent {name} [N/mm]"), style, color=f"C{k}",
                      label=f"tangent {name}, radius {radius:g} mm")
        for marker, depth in zip("o^sDvPX*", depths):
            axes.plot(x, column(rows, f"secant at {depth} mm [N/mm]"), marker, color="C0",
                      markersize=4, markerfacecolor="none",
                      label=f"secant at {depth} mm" if style == "-" else None)
    axes.set(xlabel="position [mm]", ylabel="stiffness [N/mm]", yscale="log")
    axes.legend(fontsize=6)


def draw_forces(axes, rows, depths):
    colours = matplotlib.colormaps["viridis"]
    for k, row in enumerate(rows):
        force = [0] + [row[f"force at {depth} mm [N]"] for depth in depths]
        axes.plot([0] + [float(depth) for depth in depths], force, "o-", markersize=3,
                  color=colours(k / max(len(rows) - 1, 1)), label=f"{row['position [mm]']:g} mm")
    axes.set(xlabel=f"depth of the indenter of {rows[0]['radius [mm]']:g} mm radius [mm]",
             ylabel="force [N]")
    axes.legend(fontsize=6, title="position", title_fontsize=7, ncols=1 + (len(rows) > 10))


def plot(folder):
    about, by_radius = load(folder)
    rows = next(iter(by_radius.values()))
    depths = re.findall(r"force at (\S+) mm", " ".join(rows[0]))
    figure, panels = plt.subplots(1, 2 if depths else 1, figsize=(11 if depths else 6, 4.6),
                                  squeeze=False, constrained_layout=True)
    draw_positions(panels[0][0], by_radius, depths)
    if depths:
        draw_forces(panels[0][1], rows, depths)
    for axes in panels[0]:
        axes.grid(True, alpha=0.3)
    figure.suptitle(about["title"], fontsize=13)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", metavar="STUDY_DIR", help="folder with stiffness.csv")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: stiffness.png there"
    )
    arguments = parser.parse_args()
    path = arguments.output or os.path.join(arguments.study, "stiffness.png")
    runs.save(plot(arguments.study), path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
