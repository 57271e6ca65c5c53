#!/usr/bin/python3
"""Plot force against displacement of a body that is pressed into another: one curve for each level
of a study.

usage: plot_press.py STUDY_DIR BODY AXIS COLUMN [--scale NUMBER] [-o PNG]
example:
  plot_press.py out/finray_press_ladder cylinder x contact.cylinder.finger.fx --scale 2 -o press.png
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy

import runs

STYLES = [":", "--", "-.", "-"]  # from coarse to fine


def levels_of(folder):
    """(family, folder of a level, unknowns, style) of every level that is complete."""
    found = runs.load_json(os.path.join(folder, "convergence.json"))
    for family, data in (found["families"] if "families" in found else {"": found}).items():
        for i, unknowns in enumerate(data["unknowns"]):
            if unknowns is not None:
                style = STYLES[max(0, len(STYLES) - len(data["unknowns"]) + i)]
                yield family, os.path.join(folder, family, f"level_{i + 1:02d}"), unknowns, style


def curve_of(level, body, axis, column):
    """Displacement [mm] and column in a level's history."""
    history = runs.load_history(level)
    for name in (f"{body}.{axis}", column):
        if name not in history:
            raise runs.RunError(f"{level}/history.csv has no column '{name}'")
    return 1e3 * (history[f"{body}.{axis}"] - history[f"{body}.{axis}"][0]), history[column]


def plot(folder, body, axis, column, scale):
    """Left the force, right how far it is from that of the level with most unknowns, where that is
    not 0."""
    levels = [
        (family, unknowns, style, *curve_of(level, body, axis, column))
        for family, level, unknowns, style in levels_of(folder)
    ]
    if not levels:
        raise runs.RunError(f"{folder} has no complete level yet")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), constrained_layout=True)
    colors, times = {}, f", times {scale:g}" if scale != 1 else ""
    finest = max(levels, key=lambda level: level[1])
    for family, unknowns, style, way, force in levels:
        look = dict(
            color=colors.setdefault(family, f"C{len(colors)}"),
            marker=".",
            label=f"{family} {unknowns:,.0f} unknowns".strip(),
        )
        left.plot(way, scale * force, style, **look)
        if force is finest[4] or len(force) != len(finest[4]):
            continue  # itself, or other load steps
        at = numpy.flatnonzero(finest[4])
        right.plot(way[at], 100 * abs(force[at] / finest[4][at] - 1), style, **look)
    left.set(ylabel=f"{column}{times} [N]")
    left.legend(fontsize=8)
    right.set(
        ylabel=f"off that of {finest[0]} {finest[1]:,.0f} unknowns [%]".replace("  ", " "),
        yscale="log",
    )
    right.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    for axes in (left, right):
        axes.set(xlabel=f"displacement of {body} along {axis} [mm]")
        axes.grid(True, which="both", alpha=0.3)
    figure.suptitle(runs.load_json(os.path.join(folder, "manifest.json"))["title"])
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "study", metavar="STUDY_DIR", help="folder of a study, with convergence.json"
    )
    parser.add_argument("body", metavar="BODY", help="the one that is driven")
    parser.add_argument(
        "axis", metavar="AXIS", choices="xyz", help="along which it is driven: x, y or z"
    )
    parser.add_argument("column", metavar="COLUMN", help="force in history.csv")
    parser.add_argument(
        "--scale",
        metavar="NUMBER",
        type=float,
        default=1.0,
        help="factor of the force: 2 when the scene is half of the whole",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: STUDY_DIR/press.png"
    )
    arguments = parser.parse_args()
    figure = plot(
        arguments.study, arguments.body, arguments.axis, arguments.column, arguments.scale
    )
    path = arguments.output or os.path.join(arguments.study, "press.png")
    runs.save(figure, path, 90)
    print(path)


runs.run(main)
