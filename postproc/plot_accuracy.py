#!/usr/bin/python3
"""Error of a FinRay finger's stiffness against the time of a step, from `make bench T=accuracy`.

usage: plot_accuracy.py [build/bench.json] -o accuracy.png      also prints the table
"""
import argparse
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MARKERS = {"T4": ("s", "tab:red"), "T10": ("^", "tab:orange"), "H8": ("o", "tab:blue")}


def load(path):
    """{mesh: {what: value}} and the grasp's step [ms]."""
    with open(path, encoding="utf-8") as file:
        entries = [e for e in json.load(file) if e["name"].startswith("accuracy.")]
    meshes, grasp = {}, None
    for entry in entries:
        name = entry["name"][len("accuracy.") :]
        if name == "grasp.processor_ms":
            grasp = entry["value"]
        else:
            mesh, what = name.split(": ")
            meshes.setdefault(mesh, {})[what] = entry["value"]
    if not meshes:
        sys.exit(f"{path} holds no accuracy.*; make bench T=accuracy writes them")
    return meshes, grasp


def print_table(meshes):
    print(
        "| mesh of the finger | unknowns | compliance [m/N] | stiffness error | step [ms] | over "
        "the grasp's |\n|---|---|---|---|---|---|"
    )
    for name, m in meshes.items():
        error = m["stiffness error"]
        print(
            f"| {name} | {m['unknowns']:,.0f} | {m['compliance']:.3e} | "
            f"{error:+.{int(abs(error) < 100)}f} % | {m['step']:.1f} | {m['step over grasp']:.2f} "
            f"|"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bench", nargs="?", default="build/bench.json")
    parser.add_argument("-o", "--output", required=True, help=".png, .pdf or .svg")
    args = parser.parse_args()
    meshes, grasp = load(args.bench)
    print_table(meshes)
    figure, axes = plt.subplots(figsize=(8, 5))
    fastest = 0.03 * min(m["step"] for m in meshes.values())  # room for the names on the left
    axes.fill_between([fastest, 5], 1, 10, color="0.92", zorder=0)
    axes.text(1.1 * fastest, 1.05, "within 10 %, under 5 ms", color="0.4", va="bottom")
    for name, m in meshes.items():
        kind = name.split()[0].rstrip(",")
        marker, colour = MARKERS[kind]
        error = m["stiffness error"]
        axes.plot(
            m["step"], abs(error), marker, color=colour, ms=8, mfc=colour if error > 0 else "white"
        )
        left = kind == "H8"  # the quickest ones: room beside the others
        axes.annotate(
            name,
            (m["step"], abs(error)),
            xytext=(-7 if left else 7, -3),
            textcoords="offset points",
            fontsize=8,
            ha="right" if left else "left",
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(fastest, 300),
        ylim=(1, 600),
        xlabel="step of one finger in contact, one thread [ms]",
        ylabel="stiffness error [%]  (filled: too stiff, hollow: too soft)",
        title=f"FinRay finger, nu = 0.49: accuracy against time (the grasp's step: {grasp:.1f} ms)",
    )
    axes.grid(True, which="major", alpha=0.3)
    figure.tight_layout()
    figure.savefig(args.output, dpi=100)


main()
