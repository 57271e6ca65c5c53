#!/usr/bin/python3
"""Plot the histories of a run: contact forces, joint efforts, heights, energies, momentum error.

usage: plot_history.py RUN_DIR [-o PNG]
example: plot_history.py out/finray_grasp -o grasp.png
"""
import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import runs

COLOURS = plt.rcParams["axes.prop_cycle"].by_key()["color"]


def prefixes(history, start, end):
    """Names between start and end of the columns START...END, in the order of the file."""
    return [name[len(start) : -len(end)] for name in history if name.startswith(start) and name.endswith(end)]


def plot_contacts(axes, history):
    """Magnitude of each named pair's force, and its vertical part."""
    for i, pair in enumerate(prefixes(history, "contact.", ".fx")):
        force = numpy.stack([history[f"contact.{pair}.f{axis}"] for axis in "xyz"])
        colour = COLOURS[i % len(COLOURS)]
        label = " on ".join(reversed(pair_names(history, pair)))
        axes.plot(history["time"], numpy.linalg.norm(force, axis=0), color=colour, label=f"{label}: magnitude")
        axes.plot(history["time"], force[2], color=colour, linestyle="--", linewidth=1, label=f"{label}: vertical")
    axes.set(title="Contact forces", ylabel="force [N]")


def pair_names(history, pair):
    """A and B of "A.B": names may hold dots themselves, so those that are known from other columns decide."""
    known = {name.rsplit(".", 1)[0] for name in history if name.endswith((".x", ".com_x"))}
    cuts = [i for i, letter in enumerate(pair) if letter == "."]
    for i in cuts:
        if pair[:i] in known or pair[i + 1 :] in known:
            return pair[:i], pair[i + 1 :]
    return pair[: cuts[0]], pair[cuts[0] + 1 :]


def plot_efforts(axes, history):
    for joint in prefixes(history, "", ".tau"):
        axes.plot(history["time"], history[f"{joint}.tau"], label=joint)
    axes.set(title="Joint efforts (actuators and limits)", ylabel="effort [N or N m]")


def plot_heights(axes, history):
    """Rise of everything that moves up or down."""
    names = [(n, f"{n}.z") for n in prefixes(history, "", ".qw")] + [(n, f"{n}.com_z") for n in prefixes(history, "", ".com_z")]
    for name, column in names:
        rise = 1e3 * (history[column] - history[column][0])
        if numpy.nanmax(numpy.abs(rise), initial=0) > 1e-3:
            axes.plot(history["time"], rise, label=name)
    axes.set(title="Rise of bodies (soft: centre of mass)", ylabel="height over the start [mm]")


def plot_energies(axes, history):
    potential = history["energy.potential"] - history["energy.potential"][0]
    axes.plot(history["time"], 1e3 * history["energy.elastic"], label="elastic")
    axes.plot(history["time"], 1e3 * history["energy.kinetic"], label="kinetic")
    axes.plot(history["time"], 1e3 * potential, label="potential, change")
    axes.set(title="Energies", ylabel="energy [mJ]")


def plot_stress(axes, history):
    for body in prefixes(history, "", ".von_mises_max"):
        axes.plot(history["time"], 1e-6 * history[f"{body}.von_mises_max"], label=body)
    axes.set(title="Largest von Mises stress of a cell", ylabel="stress [MPa]")


def plot_error(axes, history):
    error = numpy.where(history["momentum_error"] > 0, history["momentum_error"], numpy.nan)
    axes.semilogy(history["time"], error, color=COLOURS[0], label="momentum error")
    axes.set(title="Solver", ylabel="relative momentum error [-]")
    iterations = axes.twinx()
    iterations.step(history["time"], history["newton"], color=COLOURS[1], linewidth=0.8, where="post")
    iterations.set_ylabel("Newton iterations", color=COLOURS[1])
    iterations.set_ylim(bottom=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN_DIR", help="folder of a run, with history.csv")
    parser.add_argument("-o", "--output", metavar="PNG", help="default: RUN_DIR/history.png")
    arguments = parser.parse_args()
    history = runs.load_history(arguments.run)
    panels = [plot_contacts, plot_efforts, plot_heights, plot_stress, plot_energies, plot_error]
    figure, grid = plt.subplots(3, 2, figsize=(13, 11), sharex=True, constrained_layout=True)
    for axes, panel in zip(grid.ravel(), panels):
        panel(axes, history)
        axes.grid(True, alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
        else:
            axes.text(0.5, 0.5, "nothing to show", transform=axes.transAxes, ha="center", color="grey")
    for axes in grid[-1]:
        axes.set_xlabel("time [s]")
    figure.suptitle(runs.title_of(arguments.run))
    path = arguments.output or os.path.join(arguments.run, "history.png")
    try:
        figure.savefig(path, dpi=110)
    except OSError as error:
        raise runs.RunError(f"cannot write {path}: {error.strerror}") from error
    print(path)


runs.run(main)
