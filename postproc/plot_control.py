#!/usr/bin/python3
"""Plot an optimal control: places and joints that the cost leads, with their targets; controls over
their limits; the cost by iterations.

usage: plot_control.py CONTROL_DIR [-o PNG|PDF|SVG]
example: plot_control.py out/gen3_ball_side -o control.svg
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import runs


def table(folder, name):
    path = os.path.join(folder, name)
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise runs.RunError(f"{path}: {error.strerror}") from None
    return {key: [float(row[key]) if row[key] else None for row in rows] for key in rows[0]}


def draw_terms(axes, data, about):
    for term in about["terms"]:
        name = term["name"]
        if ".v" in name or term["weight"] + term["final"] == 0:
            continue
        (line,) = axes.plot(data["time"], data[name], label=name)
        axes.axhline(term["target"], color=line.get_color(), linestyle=":", linewidth=1)
    axes.set_ylabel("m or rad, targets dotted")
    axes.legend(fontsize=8)


def draw_controls(axes, data, about):
    for control in about["controls"]:
        times = [t for t, u in zip(data["time"], data[control["name"]]) if u is not None]
        values = [u for u in data[control["name"]] if u is not None]
        (line,) = axes.step(times, values, where="post", label=control["name"].split("/")[-1])
        for bound in (control["low"], control["high"]):
            if bound is not None and any(abs(u - bound) < 1e-9 * abs(bound) for u in values):
                axes.axhline(bound, color=line.get_color(), linestyle=":", linewidth=1)
    axes.set_ylabel("effort in N or N m, target in m or rad")
    axes.legend(fontsize=7, ncol=2)


def plot(folder):
    about = runs.load_json(os.path.join(folder, "control.json"))
    data = table(folder, "control.csv")
    costs = table(folder, "iterations.csv")
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), constrained_layout=True)
    draw_terms(axes[0], data, about)
    draw_controls(axes[1], data, about)
    for panel in axes[:2]:
        panel.set_xlabel("time in s")
    axes[2].semilogy(costs["iteration"], costs["cost"], marker=".")
    axes[2].set_xlabel("iteration")
    axes[2].set_ylabel("cost")
    for panel in axes:
        panel.grid(True, alpha=0.3)
    figure.suptitle(about["title"], fontsize=12)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("control", metavar="CONTROL_DIR", help="folder with control.json")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: DIR/control.png"
    )
    arguments = parser.parse_args()
    figure = plot(arguments.control)
    path = arguments.output or os.path.join(arguments.control, "control.png")
    runs.save(figure, path, 90)
    print(path)


runs.run(main)
