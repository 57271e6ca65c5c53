#!/usr/bin/python3
"""Plot a refinement study: for each quantity its error against h, both logarithmic, and its values
with Richardson's value and the error bar of the finest level (GCI).

usage: plot_convergence.py STUDY_DIR [-o PNG]
example: plot_convergence.py out/cantilever -o cantilever.png
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy

import runs

MARKERS = "osD^v<>p"


def numbers(values):
    """JSON's list as an array; null is NaN."""
    return numpy.array([numpy.nan if v is None else v for v in values], dtype=float)


def with_unit(text, unit):
    return f"{text} [{unit or '-'}]"


def draw_slope(axes, h, errors):
    """A triangle of the whole order next to the finest two levels of the curve."""
    good = numpy.isfinite(errors) & (errors > 0)
    if good.sum() < 2:
        return
    (h1, h0), (e1, e0) = h[good][-2:], errors[good][-2:]
    order = round(numpy.log(e1 / e0) / numpy.log(h1 / h0))
    if order < 1 or order > 6:
        return
    x, y = numpy.array([h0, h1, h1, h0]), 0.6 * e0 * numpy.array([1, 1, (h1 / h0) ** order, 1])
    axes.plot(x, y, color="0.5", linewidth=0.8)
    axes.annotate(
        f"{order}",
        (h1, y[0] * (h1 / h0) ** (order / 2)),
        xytext=(3, 0),
        textcoords="offset points",
        color="0.4",
        fontsize=8,
    )


def base_of(families, name, reference):
    """What the errors of each family are measured against: (label, value); a family without
    Richardson's value takes that of the family with the smallest error bar."""
    limits = {f: data["quantities"][name]["extrapolated"] for f, data in families}
    bars = {f: data["quantities"][name]["gci"] for f, data in families}
    best = min(
        (f for f in limits if limits[f] is not None and bars[f] is not None),
        key=bars.get,
        default=None,
    )
    for family, _ in families:
        if reference is not None:
            yield family, reference
        elif limits[family] is not None:
            yield family, limits[family]
        elif best is not None:
            yield f"{family} (from {best}'s value)", limits[best]
        else:
            yield family, numpy.nan


def draw_errors(axes, families, name, size, reference):
    for (_, data), (label, base), marker in zip(
        families, base_of(families, name, reference), MARKERS
    ):
        errors = numpy.abs(numbers(data["quantities"][name]["values"]) - base)
        shown = numpy.where(errors > 0, errors, numpy.nan)
        if numpy.isfinite(shown).any():
            axes.loglog(data["h"], shown, marker + "-", label=label or None)
            draw_slope(axes, numbers(data["h"]), shown)
    if not axes.lines:  # a logarithmic axis without data cannot be drawn
        axes.text(
            0.5,
            0.5,
            "no limit to measure errors from:\nsee the verdict",
            ha="center",
            va="center",
            transform=axes.transAxes,
        )
        axes.set(xticks=[], yticks=[])
    axes.set(xlabel=size)


def draw_values(axes, families, name, size, reference):
    for (family, data), marker in zip(families, MARKERS):
        found = data["quantities"][name]
        values, h = numbers(found["values"]), numbers(data["h"])
        (line,) = axes.semilogx(h, values, marker + "-", label=family or None)
        good = numpy.flatnonzero(numpy.isfinite(values))
        if found["extrapolated"] is not None:
            axes.axhline(
                found["extrapolated"], color=line.get_color(), linestyle="--", linewidth=0.8
            )
            if found["gci"] is not None and good.size:
                last = good[-1]
                axes.errorbar(
                    h[last],
                    values[last],
                    yerr=found["gci"] * abs(values[last]),
                    color=line.get_color(),
                    capsize=4,
                )
    if reference is not None:
        axes.axhline(reference, color="black", linestyle=":", label="reference")
    axes.set(xlabel=size)


def set_ticks(axes, families):
    """Round numbers that have room."""
    h = numpy.concatenate([numbers(data["h"]) for _, data in families])
    axes.xaxis.set_major_locator(
        matplotlib.ticker.LogLocator(
            subs=(1, 2, 5) if h.max() > 5 * h.min() else (1, 1.5, 2, 3, 5, 7)
        )
    )
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")


def plot(folder):
    found, manifest = runs.load_json(os.path.join(folder, "convergence.json")), runs.load_json(
        os.path.join(folder, "manifest.json")
    )
    families = list(found["families"].items()) if "families" in found else [("", found)]
    quantities = manifest["quantities"]
    figure, rows = plt.subplots(
        len(quantities),
        2,
        figsize=(10, 3.8 * len(quantities) + 0.4),
        squeeze=False,
        constrained_layout=True,
    )
    for (name, about), (left, right) in zip(quantities.items(), rows):
        size = with_unit(manifest["size"], manifest["size_unit"])
        draw_errors(left, families, name, size, about["reference"])
        draw_values(right, families, name, size, about["reference"])
        left.set_title(f"Error of {name}", fontsize=10)
        has_limit = any(
            data["quantities"][name]["extrapolated"] is not None for _, data in families
        )
        right.set_title(
            f"{name}: dashed, Richardson's value; bar, GCI" if has_limit else name, fontsize=10
        )
        left.set(
            ylabel=with_unit(
                "error" if about["reference"] is None else "distance from the reference",
                about["unit"],
            )
        )
        right.set(ylabel=with_unit(name, about["unit"]))
        for axes in (left, right):
            if axes.lines:
                set_ticks(axes, families)
            axes.grid(True, which="both", alpha=0.3)
            if axes.get_legend_handles_labels()[0]:
                axes.legend(fontsize=8)
    figure.suptitle(manifest["title"], fontsize=13)
    return figure


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "study", metavar="STUDY_DIR", help="folder of a study, with convergence.json"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; STUDY_DIR/convergence.png"
    )
    arguments = parser.parse_args()
    figure = plot(arguments.study)
    path = arguments.output or os.path.join(arguments.study, "convergence.png")
    runs.save(figure, path, 90)
    print(path)


if __name__ == "__main__":
    runs.run(main)
