#!/usr/bin/python3
"""Plot a search: the objective of each evaluation and the best feasible one so far, and below it
the excess of each constraint over its bound; evaluations without a value are crosses.

usage: plot_optimize.py OPTIMIZE_DIR [-o PNG|PDF|SVG]
example: plot_optimize.py out/finray_optimize -o optimize.svg
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs


def column(rows, name):
    return numpy.array([float(row[name]) if row[name] else numpy.nan for row in rows])


def best_so_far(objective, feasible, goal):
    pick = numpy.maximum if goal == "maximize" else numpy.minimum
    worst = -numpy.inf if goal == "maximize" else numpy.inf
    best = pick.accumulate(numpy.where(feasible, objective, worst))
    return numpy.where(numpy.isfinite(best), best, numpy.nan)


def draw_objective(axes, about, rows):
    number, start = column(rows, "evaluation"), column(rows, "start")
    objective, violation = column(rows, "objective"), column(rows, "violation [-]")
    feasible = numpy.isfinite(objective) & (violation <= about["feasible"])
    for k in sorted(set(start)):
        own = (start == k) & numpy.isfinite(objective)
        colour = f"C{int(k - 1) % 10}"
        axes.plot(number[own], objective[own], "-", color=colour, linewidth=0.7, alpha=0.6)
        axes.plot(number[own & feasible], objective[own & feasible], "o", color=colour,
                  markersize=5, label=f"start {int(k)}")
        axes.plot(number[own & ~feasible], objective[own & ~feasible], "o", color=colour,
                  markersize=5, fillstyle="none")
    if (numpy.isfinite(objective) & ~feasible).any():
        axes.plot([], [], "ko", markersize=5, fillstyle="none", label="not feasible")
    absent = ~numpy.isfinite(objective)
    axes.plot(number[absent], numpy.full(absent.sum(), 0.02), "kx", markersize=6,
              transform=axes.get_xaxis_transform(), label="no value" if absent.any() else None)
    best = best_so_far(objective, feasible, about["goal"])
    axes.step(number, best, where="post", color="black", linewidth=1, label="best feasible")
    unit = f" [{about['unit']}]" if about["unit"] else ""
    axes.set_ylabel(about["objective"] + unit)
    axes.legend(fontsize=8)


def draw_violations(axes, about, rows):
    number = column(rows, "evaluation")
    names = [name for name in rows[0] if name.startswith("excess of ")]
    for name in names:
        label = name[len("excess of "):].replace(" [-]", "")
        axes.plot(number, column(rows, name), ".-", linewidth=0.8, label=label)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_yscale("symlog", linthresh=1e-3)
    axes.set_ylabel("excess over the bound [-]")
    axes.set_xlabel("evaluation")
    if names:
        axes.legend(fontsize=8)


def plot(folder):
    about, rows = runs.load_study(folder, "optimize.json", "optimize.csv")
    if not rows:
        raise runs.RunError(f"{folder}/optimize.csv has no evaluation")
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 6), sharex=True, height_ratios=[3, 2],
                                constrained_layout=True)
    draw_objective(axes[0], about, rows)
    draw_violations(axes[1], about, rows)
    for one in axes:
        one.grid(True, alpha=0.3)
    figure.suptitle(about["title"], fontsize=11)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("optimize", metavar="OPTIMIZE_DIR", help="folder with optimize.json")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: optimize.png in it"
    )
    arguments = parser.parse_args()
    figure = plot(arguments.optimize)
    path = arguments.output or os.path.join(arguments.optimize, "optimize.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
