#!/usr/bin/python3
"""Draw an error budget: for each quantity the parts of its error bar that mesh, time step and
contact layer make, as percents of the value, and the spread over contact models apart from them.
Widths are logarithmic, since parts differ by orders of magnitude.

usage: plot_budget.py DIR [-o PNG|PDF|SVG]
example: plot_budget.py out/finray_grasp_budget -o budget.png
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import runs

PARTS = {"mesh": "tab:blue", "step": "tab:orange", "layer": "tab:green"}
MODELS = "0.6"
LEAST = 1e-4  # [%] left end of the axis


def load(folder):
    about = runs.load_json(os.path.join(folder, "estimate.json"))
    rows = about.get("quantities") or []
    if not rows:
        raise runs.RunError(f"{folder}/estimate.json has no quantities")
    return about, rows


def label_of(row):
    value, unit = row["value"], row["unit"]
    for factor, prefix in ((1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u")):
        if unit in ("Pa", "N", "J", "m") and abs(value) >= factor:
            value, unit = value / factor, prefix + unit
            break
    name = row["name"].replace("_", " ")
    if row["error"] is None:
        return f"{name}\n{value:.4g} {unit}, no error bar"
    return f"{name}\n{value:.4g} {unit} ± {100 * row['relative_error']:.2g} %"


def bars_of(row):
    """(label, colour, percent of the value or None where it did not converge)"""
    size = abs(row["value"])
    for part, colour in PARTS.items():
        if part in row["parts"]:
            error = row["parts"][part]["error"]
            yield part, colour, None if error is None else 100 * error / size
    if row["spread_models"] is not None:
        yield "contact models (no error)", MODELS, 100 * row["spread_models"] / size


def draw(axes, rows, largest):
    ticks, labels, at = [], [], 0
    for row in rows:
        bars = list(bars_of(row))
        for k, (label, colour, percent) in enumerate(bars):
            if percent is None:  # it goes on beyond the picture
                axes.barh(at + k, largest, left=0, color="white", edgecolor=colour, hatch="///")
                axes.text(largest, at + k, " not converged", va="center", ha="left", fontsize=8)
                continue
            axes.barh(at + k, max(percent, LEAST), color=colour)
            axes.text(max(percent, LEAST), at + k, f" {percent:.2g} %", va="center", fontsize=8)
        ticks.append(at + 0.5 * (len(bars) - 1))
        labels.append(label_of(row))
        at += len(bars) + 1
    axes.set(xscale="log", xlim=(LEAST, 30 * largest), xlabel="share of the value [%]")
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()


def add_legend(axes, rows, about):
    names = {label: colour for row in rows for label, colour, _ in bars_of(row)}
    costs = {name: repeat.get("cost") for name, repeat in about["repeats"].items()}
    handles = []
    for label, colour in names.items():
        cost = costs.get(label)
        text = f"{label}, half of it for {cost:.2g} times the time" if cost else label
        handles.append(matplotlib.patches.Patch(color=colour, label=text))
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.4, -0.12), ncols=2, fontsize=8
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="DIR", help="of converge with a budget, or of --estimate")
    parser.add_argument("-o", "--output", default=None, help="default: DIR/budget.png")
    arguments = parser.parse_args()
    about, rows = load(arguments.folder)
    finite = [p for row in rows for _, _, p in bars_of(row) if p]
    figure, axes = plt.subplots(figsize=(8, 1.6 + 0.95 * len(rows)), layout="constrained")
    draw(axes, rows, max(finite, default=1))
    add_legend(axes, rows, about)
    if about.get("tolerance"):
        asked = 100 * about["tolerance"]
        axes.axvline(asked, color="black", linewidth=0.8, linestyle="--", zorder=0)
        axes.text(
            asked,
            1,
            f"{asked:.3g} % asked for",
            ha="center",
            va="bottom",
            fontsize=8,
            transform=axes.get_xaxis_transform(),
        )
    figure.suptitle(about.get("title") or "")
    path = arguments.output or os.path.join(arguments.folder, "budget.png")
    runs.save(figure, path, 120)
    print(path)


runs.run(main)
