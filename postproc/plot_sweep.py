#!/usr/bin/python3
"""Plot a sweep: each quantity against each parameter.  A grid of one parameter is a curve, of two a
bundle of curves and a heat map; other parameters are averaged over, with the span of all as a bar.
Cases of a Latin hypercube or a list are points.

usage: plot_sweep.py SWEEP_DIR [-o PNG|PDF|SVG] [-q QUANTITY]
example: plot_sweep.py out/finray_sweep -o sweep.svg
"""
import argparse
import csv
import math
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs

MOST_TICKS = 8  # along a side of a heat map

def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def load(folder):
    """The description of the sweep and its rows, those of cases that are done."""
    about = runs.load_json(os.path.join(folder, "sweep.json"))
    path = os.path.join(folder, "sweep.csv")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "done"]
    except (OSError, KeyError) as error:
        raise runs.RunError(f"{path} is no table of a sweep: {error}") from error
    if not rows:
        raise runs.RunError(f"{path}: no case is done")
    return about, rows


def places(rows, parameter):
    """Where the values lie on an axis, and their labels when they are words."""
    texts = [row[parameter["column"]] for row in rows]
    values = numpy.array([number(text) for text in texts])
    if numpy.isfinite(values).all():
        return values, None
    words = list(dict.fromkeys(texts))
    return numpy.array([words.index(text) for text in texts], dtype=float), words


def label_axis(axis, parameter, values, words):
    axis.set_label_text(parameter["column"])
    axis.get_major_locator().set_params(integer=(values == values.round()).all())
    if words:
        axis.set_ticks(range(len(words)), words)


def means(x, values):
    """Mean, lowest and highest of the values at each place."""
    at = numpy.unique(x)
    parts = [values[x == place] for place in at]
    return at, *(numpy.array([f(part) for part in parts]) for f in (numpy.mean, min, max))


def draw_curves(axes, rows, about, parameter, others, values):
    x, words = places(rows, parameter)
    if about["design"] == "grid" and len(others) == 1:
        groups = [row[others[0]["column"]] for row in rows]
        is_long = len(set(groups)) > MOST_TICKS  # then a ramp of colours
        if is_long:
            ramp = plt.get_cmap("viridis")(numpy.linspace(0, 0.95, len(set(groups))))
            axes.set_prop_cycle(color=ramp)
        for group in dict.fromkeys(groups):
            inside = numpy.array([g == group for g in groups])
            order = numpy.argsort(x[inside])
            label = f"{others[0]['name']} {group} {others[0]['unit']}".strip()
            axes.plot(x[inside][order], values[inside][order], "o-", label=label)
        axes.legend(fontsize=6 if is_long else 8, ncols=1 + is_long)
    elif words and not others:
        axes.bar(x, values, width=0.6)
    elif about["design"] == "grid":
        at, mean, low, high = means(x, values)
        axes.errorbar(at, mean, yerr=[mean - low, high - mean], fmt="o-", capsize=4)
    else:
        axes.plot(x, values, "o", markersize=4)
    label_axis(axes.xaxis, parameter, x, words)
    axes.grid(True, alpha=0.3)


def draw_map(figure, axes, rows, pair, values, label):
    (x, x_words), (y, y_words) = (places(rows, parameter) for parameter in pair)
    columns, lines = numpy.unique(x), numpy.unique(y)
    table = numpy.full((lines.size, columns.size), math.nan)
    for i, line in enumerate(lines):
        for j, column in enumerate(columns):
            inside = values[(x == column) & (y == line)]
            if inside.size:
                table[i, j] = inside.mean()
    image = axes.imshow(table, origin="lower", aspect="auto", cmap="viridis")
    for axis, at, words in ((axes.xaxis, columns, x_words), (axes.yaxis, lines, y_words)):
        shown = range(0, at.size, -(-at.size // MOST_TICKS))
        axis.set_ticks(shown, [words[k] if words else f"{at[k]:.4g}" for k in shown])
    if max(len(label.get_text()) for label in axes.get_xticklabels()) > 4:
        axes.tick_params(axis="x", labelrotation=45)
    axes.set(xlabel=pair[0]["column"], ylabel=pair[1]["column"])
    figure.colorbar(image, ax=axes, label=label)


def plot(folder, only):
    about, rows = load(folder)
    parameters = about["parameters"]
    quantities = [q for q in about["quantities"] if only in (None, q["name"])]
    if not quantities:
        names = ", ".join(q["name"] for q in about["quantities"])
        raise runs.RunError(f"{folder} has no quantity '{only}'; known: {names}")
    has_map = about["design"] == "grid" and len(parameters) > 1
    columns = len(parameters) + has_map
    figure, lines = plt.subplots(
        len(quantities),
        columns,
        figsize=(4.2 * columns, 3.4 * len(quantities) + 0.4),
        squeeze=False,
        constrained_layout=True,
    )
    for quantity, line in zip(quantities, lines):
        values = numpy.array([number(row[quantity["column"]]) for row in rows])
        for parameter, axes in zip(parameters, line):
            others = [p for p in parameters if p is not parameter]
            draw_curves(axes, rows, about, parameter, others, values)
        for axes in line[: len(parameters)]:
            axes.set_ylabel(quantity["column"])
        if has_map:
            draw_map(figure, line[-1], rows, parameters[:2], values, quantity["column"])
    failed = f", {about['failed']} failed" if about["failed"] else ""
    figure.suptitle(f"{about['title']}: {len(rows)} cases{failed}", fontsize=13)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", metavar="SWEEP_DIR", help="folder of a sweep, with sweep.csv")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: SWEEP_DIR/sweep.png"
    )
    parser.add_argument("-q", "--quantity", help="this one alone")
    arguments = parser.parse_args()
    figure = plot(arguments.sweep, arguments.quantity)
    path = arguments.output or os.path.join(arguments.sweep, "sweep.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
