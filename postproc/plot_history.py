#!/usr/bin/python3
"""Plot the histories of a run: forces, joint efforts, motion, stress, energies, momentum error;
only what there is.
With -c, panels of chosen columns of history.csv, also of several runs.

usage: plot_history.py RUN_DIR ... [-c "COLUMN ..."] [-o PNG]
example: plot_history.py out/finray_grasp -o forces.png
         plot_history.py out/sap out/lagged -c box.z -c "contact.belt.box.fx contact.belt.box.fz"
"""
import argparse
import itertools
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs

STYLES = ["-", "--", "-.", ":"]  # curves that coincide stay visible


def names_of(history, end):
    """NAME of every column NAME + end, in the order of the file."""
    return [name[: -len(end)] for name in history if name.endswith(end)]


def vector(history, name, components):
    return numpy.stack([history[f"{name}{c}"] for c in components], axis=1)


def pairs_of(history):
    """(A, B, force on B) of every named pair that touches at some time."""
    for column in names_of(history, ".fx"):
        if column.startswith("contact."):
            force = vector(history, column, [".fx", ".fy", ".fz"])
            if numpy.abs(force).max() > 0:
                yield *split_pair(history, column[len("contact.") :]), force


def split_pair(history, pair):
    """A and B of "A.B": names may hold dots themselves, so those that are known from other columns
    decide."""
    known = {name.rsplit(".", 1)[0] for name in history if name.endswith((".x", ".com_x"))}
    cuts = [i for i, letter in enumerate(pair) if letter == "."]
    cut = next((i for i in cuts if pair[:i] in known or pair[i + 1 :] in known), cuts[0])
    return pair[:cut], pair[cut + 1 :]


def draw(axes, x, curves, title, ylabel):
    """Curves (label, y) that are not all zero; True when there is one."""
    styles = itertools.cycle(STYLES)
    for label, y in curves:
        if numpy.nanmax(numpy.abs(y), initial=0) > 0:
            axes.plot(x, y, linestyle=next(styles), label=label)
    axes.set(title=title, ylabel=ylabel)
    return bool(axes.lines)


# Each panel draws itself and says whether there was anything to draw.


def contact_forces(axes, history, _):
    curves = []
    for a, b, force in pairs_of(history):
        size = numpy.linalg.norm(force, axis=1)
        curves.append((f"{a} on {b}", size))
        if 1e-3 * size.max() < numpy.abs(force[:, 2]).max() < 0.999 * size.max():
            curves.append((f"{a} on {b}: vertical", force[:, 2]))
    return draw(axes, history["time"], curves, "Contact forces", "force [N]")


def force_against_displacement(axes, history, driven):
    """What resists a body on a prescribed motion, along its farthest way."""
    for a, b, force in pairs_of(history):
        for body, sign in ((a, 1), (b, -1)):
            if body in driven:
                way = vector(history, body, [".x", ".y", ".z"])
                way -= way[0]
                direction = way[numpy.argmax(numpy.linalg.norm(way, axis=1))]
                if not direction.any():
                    continue
                direction = direction / numpy.linalg.norm(direction)
                axes.plot(
                    1e3 * way @ direction,
                    sign * force @ direction,
                    label=f"{body} against {b if body == a else a}",
                )
    axes.set(
        title="Force against displacement of the driven body",
        ylabel="force along the way [N]",
        xlabel="displacement [mm]",
    )
    return bool(axes.lines)


def efforts(axes, history, _):
    curves = [(joint, history[f"{joint}.tau"]) for joint in names_of(history, ".tau")]
    return draw(
        axes, history["time"], curves, "Joint efforts (actuators and limits)", "effort [N or N m]"
    )


def heights(axes, history, _):
    columns = [(n, f"{n}.z") for n in names_of(history, ".qw")] + [
        (n, f"{n}.com_z") for n in names_of(history, ".com_z")
    ]
    curves = [(name, 1e3 * (history[column] - history[column][0])) for name, column in columns]
    curves = [(name, rise) for name, rise in curves if numpy.nanmax(numpy.abs(rise)) > 1e-2]
    return draw(
        axes,
        history["time"],
        curves,
        "Rise of bodies (soft: centre of mass)",
        "height over the start [mm]",
    )


def probes(axes, history, _):
    curves = []
    for name in names_of(history, ".x"):
        if name.startswith("probe."):
            place = vector(history, name, [".x", ".y", ".z"])
            curves += [
                (f"{name[len('probe.'):]} {axis}", 1e3 * y)
                for axis, y in zip("xyz", (place - place[0]).T)
            ]
    largest = max((numpy.nanmax(numpy.abs(y)) for _, y in curves), default=0)
    curves = [(label, y) for label, y in curves if numpy.nanmax(numpy.abs(y)) > 0.1 * largest]
    return draw(axes, history["time"], curves, "Displacement of probes", "displacement [mm]")


def stress(axes, history, _):
    curves = [
        (body, 1e-6 * history[f"{body}.von_mises_max"])
        for body in names_of(history, ".von_mises_max")
    ]
    return draw(axes, history["time"], curves, "Largest von Mises stress of a cell", "stress [MPa]")


def energies(axes, history, _):
    potential = history["energy.potential"] - history["energy.potential"][0]
    curves = [
        ("elastic", history["energy.elastic"]),
        ("kinetic", history["energy.kinetic"]),
        ("potential, change", potential),
        ("contact", history["energy.contact"]),
    ]
    return draw(
        axes, history["time"], [(label, 1e3 * y) for label, y in curves], "Energies", "energy [mJ]"
    )


def solver(axes, history, _):
    if not history["newton"].any():
        return False
    iterations = axes.twinx()
    iterations.step(
        history["time"], history["newton"], color="tab:orange", linewidth=0.8, where="post"
    )
    iterations.set_ylabel("Newton iterations", color="tab:orange")
    iterations.set_ylim(bottom=0)
    error = numpy.where(history["momentum_error"] > 0, history["momentum_error"], numpy.nan)
    axes.semilogy(history["time"], error, ".", markersize=3)
    axes.set(title="Solver", ylabel="relative momentum error [-]")
    return True


def unit_of(column):
    """Unit of a column of history.csv, by the end of its name (`supple help
    columns`); none known: ""."""
    if column.startswith("energy.") or column.endswith("_energy"):
        return "J"
    ends = {
        "m": "x y z com_x com_y com_z penetration",
        "m/s": "vx vy vz ncp_dual stick_speed_max",
        "rad/s": "wx wy wz",
        "N": "fx fy fz",
        "N m": "tx ty tz",
        "m^2": "area",
        "m^3": "volume",
        "Pa": "von_mises_max",
        "s": "time",
        "rad or m": "q",
        "rad/s or m/s": "v",
        "N m or N": "tau",
    }
    return next(
        (unit for unit, names in ends.items() if column.rsplit(".", 1)[-1] in names.split()), ""
    )


def draw_columns(axes, columns, histories):
    """Columns of one panel for every run; histories = [(title, history), ...]."""
    for column in columns:
        styles = itertools.cycle(STYLES)
        for title, history in histories:
            if column not in history:
                raise runs.RunError(f"there is no column '{column}'; columns: {', '.join(history)}")
            label = ", ".join(
                ([column] if len(columns) > 1 else []) + ([title] if len(histories) > 1 else [])
            )
            # forces belong to steps: none at the start
            first = column.startswith(("contact.", "attach."))
            axes.plot(
                history["time"][first:],
                history[column][first:],
                linestyle=next(styles),
                label=label or None,
            )
    units = dict.fromkeys(unit_of(column) for column in columns)
    axes.set(
        ylabel=(", ".join(columns) if len(", ".join(columns)) < 36 else columns[0] + ", ...")
        + f" [{', '.join(u or '-' for u in units)}]"
    )


def plot_columns(folders, panels):
    """Figure of panels [[column, ...], ...], one below the other."""
    histories = [(os.path.basename(os.path.normpath(f)), runs.load_history(f)) for f in folders]
    figure, rows = plt.subplots(
        len(panels),
        1,
        figsize=(8, 2.6 * len(panels) + 0.6),
        sharex=True,
        squeeze=False,
        constrained_layout=True,
    )
    for axes, columns in zip(rows[:, 0], panels):
        draw_columns(axes, columns, histories)
        axes.grid(True, alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    rows[-1, 0].set_xlabel("time [s]")
    return figure


def shows(panel, history, driven):
    """Whether a panel has something to show; `output.history` may have left its columns out."""
    try:
        return panel(plt.figure().add_subplot(), history, driven)
    except KeyError:
        return False


def plot_all(folder):
    """Figure of every panel that has something to show, or of the columns that move where none of
    the panels has its own."""
    history, driven = runs.load_history(folder), runs.driven_bodies(folder)
    if runs.is_static(folder) and len(history["time"]) < 3:
        raise runs.RunError(
            f"{folder} is a static result of one load step: nothing to plot over time; "
            "its numbers are in history.csv"
        )
    shown = [panel for panel in PANELS if shows(panel, history, driven)]
    plt.close("all")
    moving = [name for name, values in history.items() if name != "time" and numpy.ptp(values) > 0]
    if not shown and moving and "newton" not in history:
        return plot_columns([folder], [[name] for name in moving[:MOST_PANELS]])
    if not shown:
        raise runs.RunError(
            f"{folder}: nothing moves and nothing touches; there is nothing to plot"
        )
    rows = (len(shown) + 1) // 2
    figure = plt.figure(figsize=(13, 3.7 * rows), constrained_layout=True)
    grid = figure.add_gridspec(rows, 2)
    for i, panel in enumerate(shown):
        alone = i == len(shown) - 1 and i % 2 == 0
        axes = figure.add_subplot(grid[i // 2, :] if alone else grid[i // 2, i % 2])
        axes.set_xlabel("time [s]")
        panel(axes, history, driven)
        axes.grid(True, alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    return figure


MOST_PANELS = 8  # of single columns
PANELS = [
    contact_forces,
    force_against_displacement,
    efforts,
    heights,
    probes,
    stress,
    energies,
    solver,
]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "runs",
        metavar="RUN_DIR",
        nargs="+",
        help="folder of a run, with history.csv; several with -c",
    )
    parser.add_argument(
        "-c",
        "--columns",
        metavar="COLUMNS",
        action="append",
        help="one panel of these columns (separated by blanks)",
    )
    parser.add_argument("-t", "--title", help="default: the title of the run")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: RUN_DIR/history.png"
    )
    arguments = parser.parse_args()
    if len(arguments.runs) > 1 and not arguments.columns:
        raise runs.RunError("several runs need -c: which columns to compare")
    panels = [text.split() for text in arguments.columns or []]
    figure = plot_columns(arguments.runs, panels) if panels else plot_all(arguments.runs[0])
    figure.suptitle(arguments.title or runs.title_of(arguments.runs[0]), fontsize=14)
    path = arguments.output or os.path.join(arguments.runs[0], "history.png")
    runs.save(figure, path, 110)
    print(path)


if __name__ == "__main__":
    runs.run(main)
