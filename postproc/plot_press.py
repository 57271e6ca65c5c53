#!/usr/bin/python3
"""Plot force against displacement of a body that is pressed into another: one curve for each level of a study.

usage: plot_press.py STUDY_DIR BODY AXIS COLUMN [-o PNG]
example: plot_press.py out/finray_press_ladder cylinder x contact.cylinder.finger.fx -o press.png
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

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


def plot(folder, body, axis, column):
    figure, axes = plt.subplots(figsize=(7, 4.6), constrained_layout=True)
    colors = {}
    for family, level, unknowns, style in levels_of(folder):
        history = runs.load_history(level)
        for name in (f"{body}.{axis}", column):
            if name not in history:
                raise runs.RunError(f"{level}/history.csv has no column '{name}'")
        way = 1e3 * (history[f"{body}.{axis}"] - history[f"{body}.{axis}"][0])
        color = colors.setdefault(family, f"C{len(colors)}")
        axes.plot(way, history[column], style, color=color, marker=".", label=f"{family} {unknowns:,.0f} unknowns".strip())
    axes.set(xlabel=f"displacement of {body} along {axis} [mm]", ylabel=f"{column} [N]")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    axes.set_title(runs.load_json(os.path.join(folder, "manifest.json"))["title"])
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", metavar="STUDY_DIR", help="folder of a study, with convergence.json")
    parser.add_argument("body", metavar="BODY", help="the one that is driven")
    parser.add_argument("axis", metavar="AXIS", choices="xyz", help="along which it is driven: x, y or z")
    parser.add_argument("column", metavar="COLUMN", help="force in history.csv")
    parser.add_argument("-o", "--output", metavar="PNG", help="default: STUDY_DIR/press.png")
    arguments = parser.parse_args()
    figure = plot(arguments.study, arguments.body, arguments.axis, arguments.column)
    path = arguments.output or os.path.join(arguments.study, "press.png")
    try:
        figure.savefig(path, dpi=90)
    except OSError as error:
        raise runs.RunError(f"cannot write {path}: {error.strerror}") from error
    print(path)


runs.run(main)
