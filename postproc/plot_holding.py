#!/usr/bin/python3
"""Plot a holding study: the loads at first slip and the greatest ones, with their error bars.
Directions on a circle are a polar plot, those of a list bars, those of a sphere a map by longitude
and latitude.  Each case of the study has a row, on its finest level.

usage: plot_holding.py HOLDING_DIR [-o PNG|PDF|SVG]
example: plot_holding.py out/pads_holding -o holding.svg
"""
import argparse
import math
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs

FEW = 16  # directions up to which they are bars
WEAKEST = (("weakest_pull", "force", "N"), ("weakest_turn", "moment", "N m"))
EVENTS = (("slip", "o--", "first slip"), ("peak", "o-", "greatest"))


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def load(folder):
    """The description of the study, and the rows of the finest levels case by case."""
    about, rows = runs.load_study(folder, "holding.json", "holding.csv")
    rows = [row for row in rows if int(row["level"]) == about["levels"]]
    cases = [[row for row in rows if int(row["case"]) == k + 1] for k in range(len(about["cases"]))]
    return about, cases


def column(rows, name):
    return numpy.array([number(row[name]) for row in rows])


def loads(rows, event, turns):
    quantity = "moment [N m]" if turns else "force [N]"
    return column(rows, f"{event} {quantity}"), column(rows, f"{event} bar [N or N m]")


def arrow(row):
    return "({:.3g}, {:.3g}, {:.3g})".format(*(number(row[c]) + 0.0 for c in "xyz"))


def draw_circle(axes, rows, turns):
    angle = numpy.radians(column(rows, "angle [deg]"))
    around = numpy.append(angle, angle[:1])
    for event, style, label in EVENTS:
        value, bar = loads(rows, event, turns)
        close = [numpy.append(part, part[:1]) for part in (value, bar)]
        axes.plot(around, close[0], style, markersize=3, label=label)
        if numpy.isfinite(bar).any():
            axes.fill_between(around, close[0] - close[1], close[0] + close[1], alpha=0.2)
    held = column(rows, "held [N or N m]")
    axes.plot(around, numpy.append(held, held[:1]), "k:", label="held at the grip's pressures")
    axes.set_rlim(bottom=min(0, axes.get_ylim()[0]))
    axes.set_title(f"0 deg: {arrow(rows[0])}", fontsize=9)


def draw_bars(axes, rows, turns):
    at = numpy.arange(len(rows))
    for k, (event, _, label) in enumerate(EVENTS):
        value, bar = loads(rows, event, turns)
        shown = numpy.where(numpy.isfinite(bar), bar, 0)
        axes.bar(at + 0.4 * k - 0.2, value, 0.4, yerr=shown, capsize=3, label=label)
    words = [arrow(row) for row in rows]
    axes.set_xticks(at, words, rotation=30 if len(rows) > 1 else 0, fontsize=7)


def draw_map(axes, rows, turns):
    x, y, z = (column(rows, c) for c in "xyz")
    value, _ = loads(rows, "peak", turns)
    points = axes.scatter(
        numpy.degrees(numpy.arctan2(y, x)), numpy.degrees(numpy.arcsin(z)), c=value, cmap="viridis"
    )
    axes.set(xlabel="longitude from x [deg]", ylabel="latitude to z [deg]")
    axes.figure.colorbar(points, ax=axes, label="greatest")


def groups(rows):
    """Rows of one plot each, with the kind of the plot."""
    for turns in (False, True):
        own = [row for row in rows if (row["pull"] == "turn") == turns]
        circle = [row for row in own if math.isfinite(number(row["angle [deg]"]))]
        others = [row for row in own if row not in circle]
        if circle:
            yield circle, turns, draw_circle, "polar"
        if others:
            yield others, turns, draw_bars if len(others) <= FEW else draw_map, None


def plot(folder):
    about, cases = load(folder)
    shapes = list(groups(cases[0]))
    figure = plt.figure(
        figsize=(4.6 * len(shapes), 4.2 * len(cases) + 0.4), constrained_layout=True
    )
    for i, (case, rows) in enumerate(zip(about["cases"], cases)):
        for j, (own, turns, draw, projection) in enumerate(groups(rows)):
            place = i * len(shapes) + j + 1
            axes = figure.add_subplot(len(cases), len(shapes), place, projection=projection)
            draw(axes, own, turns)
            label = "moment [N m]" if turns else "force [N]"
            words = ", ".join(f"{key} {value}" for key, value in case["parameters"].items())
            axes.set_ylabel(f"{label}   {words}", labelpad=26 if projection else None)
            axes.grid(True, alpha=0.4)
            if draw is not draw_map:
                axes.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    figure.suptitle(f"{about['title']}: slip of {100 * about['slip_share']:.3g} % of the area")
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", metavar="HOLDING_DIR", help="folder with holding.csv")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: holding.png there"
    )
    arguments = parser.parse_args()
    figure = plot(arguments.study)
    path = arguments.output or os.path.join(arguments.study, "holding.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
