#!/usr/bin/env python3
"""Draw what `make bench` measured: postproc/plot_bench.py build/bench.json -o bench.png

Four panels: the factor against CHOLMOD's, where the steps' time goes, how steps grow, and how far
each phase is from what the machine allows.  Panels whose part of the benchmark was not run stay
empty."""
import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PHASES = ["kinematics", "dynamics", "collide", "rows", "analyse", "solve", "integrate"]


def members(values, prefix, suffix):
    """Names between prefix and suffix, in the order of the file."""
    return [
        name[len(prefix) : -len(suffix)]
        for name in values
        if name.startswith(prefix) and name.endswith(suffix)
    ]


def empty(ax):
    ax.text(
        0.5, 0.5, "not measured", ha="center", va="center", transform=ax.transAxes, color="grey"
    )


def draw_factor(ax, values):
    ax.set_title("numeric factorisation: CHOLMOD's time over ours")
    matrices = members(values, "factor.", ".vs_cholmod_supernodal")
    matrices = [m for m in matrices if "contact_block" not in m]
    if not matrices:
        return empty(ax)
    for offset, kind, colour in ((-0.2, "supernodal", "#4477aa"), (0.2, "simplicial", "#ccbb44")):
        bars = [values.get(f"factor.{m}.vs_cholmod_{kind}", 0) for m in matrices]
        shown = ax.bar(
            [i + offset for i in range(len(matrices))], bars, 0.38, label=kind, color=colour
        )
        ax.bar_label(shown, [f"{b:.2g}" if b else "" for b in bars], fontsize=7)
    ax.axhline(1, color="black", linewidth=0.8)
    ax.set_xticks(range(len(matrices)), matrices, rotation=20, fontsize=8)
    ax.set_ylabel("ratio [-]")
    ax.legend(fontsize=8)


def draw_phases(ax, values):
    ax.set_title("phases of a step")
    scenes = members(values, "step.", ".solve.share")
    if not scenes:
        return empty(ax)
    left = [0.0] * len(scenes)
    for phase in PHASES:
        share = [values.get(f"step.{s}.{phase}.share", 0) for s in scenes]
        ax.barh(range(len(scenes)), share, left=left, label=phase)
        left = [a + b for a, b in zip(left, share)]
    ax.set_yticks(
        range(len(scenes)),
        [f"{s}\n{values[f'step.{s}.median_ms']:.3g} ms" for s in scenes],
        fontsize=7,
    )
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("share of the step [%]")
    ax.legend(fontsize=7, ncol=4, loc="lower center", bbox_to_anchor=(0.5, 1.06))


def draw_growth(ax, values):
    ax.set_title("growth of the step")
    drawn = False
    for family, what, exponent, marker in (
        ("vertices", "vertices of a finger", "vertices", "o"),
        ("strip", "contacts of a strip on pegs", "contacts", "s"),
        ("fingers", "fingers", "fingers", "^"),
    ):
        sizes = members(values, f"growth.{family}.", ".solve.median_ms")
        if not sizes:
            continue
        drawn = True
        ax.loglog(
            [float(s) for s in sizes],
            [values[f"growth.{family}.{s}.median_ms"] for s in sizes],
            marker + "-",
            label=f"{what}: exponent {values[f'step.exponent_vs_{exponent}']:.2f}",
        )
    if not drawn:
        return empty(ax)
    ax.set_xlabel("number of vertices, contacts, fingers [-]")
    ax.set_ylabel("median step [ms]")
    ax.grid(True, which="major", linewidth=0.3)
    ax.legend(fontsize=8)


def draw_limits(ax, values):
    ax.set_title("time over the limit (flops at dgemm's rate, bytes at a stream's)")
    names = members(values, "", ".times_limit")
    names = [
        n
        for n in names
        if n.startswith(("factor.", "assembly.", "step.grasp.", "step.peer_finray."))
    ]
    if not names:
        return empty(ax)
    ax.barh(range(len(names)), [values[n + ".times_limit"] for n in names], color="#66ccee")
    ax.set_yticks(range(len(names)), names, fontsize=6)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_xlabel(
        f"ratio [-]; dgemm {values['limit.dgemm']:.0f} GFlop/s, stream "
        f"{values['limit.stream']:.0f} GB/s"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("json", help="build/bench.json")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="bench.png", help=".png, .pdf or .svg"
    )
    a = parser.parse_args()
    with open(a.json) as file:
        values = {entry["name"]: entry["value"] for entry in json.load(file)}
    figure, axes = plt.subplots(2, 2, figsize=(13, 9), layout="constrained")
    for ax, draw in zip(axes.flat, (draw_factor, draw_phases, draw_growth, draw_limits)):
        draw(ax, values)
    figure.savefig(a.output, dpi=80)
    print(a.output)


if __name__ == "__main__":
    main()
