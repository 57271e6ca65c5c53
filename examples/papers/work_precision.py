"""Work and precision, as P2's Figs 5 and 8, with soft bodies, too: time against the error of a
path, for fixed steps and for steps that follow an accuracy.

    /usr/bin/python3 examples/papers/work_precision.py

A soft bar hits a wall (F13), P2's box sticks and slips (R06, v_s = 1 um/s), two FinRay fingers
close on a cylinder.  The error is the root mean square, over equal times, of how far places are
from those of a run that is finer than all others.  Some five minutes; results in
out/papers/work_precision.
"""
import json
import math
import os

import matplotlib.pyplot as plt
import numpy as np

from experiment import Experiment

BAR = """supple: 1
time: {step: 0.1 ms, end: 6 ms}
gravity: [0, 0, 0]
solver: {tolerance: 1.0e-9}
materials: {rubber: {youngs_modulus: 2.5 MPa, poissons_ratio: 0, density: 1000 kg/m^3}}
rigid:
  wall: {fixed: true, shape: {half_space: {}}, contact: {friction: 0}}
soft:
  bar:
    mesh: {box: {size: [1 cm, 1 cm, 10 cm], cells: [1, 1, 10]}}
    material: rubber
    pose: {position: [0, 0, 0.5 mm]}
    velocity: [0, 0, -0.5 m/s]
    contact: {friction: 0, dissipation: 0}
output: {format: none, every: 0.5 ms, history_every: 0.5 ms,
         probes: {low: {body: bar, point: [0, 0, 0]},
         middle: {body: bar, point: [0, 0, 5 cm]}, top: {body: bar, point: [0, 0, 10 cm]}}}
"""

BOX = """supple: 1
time: {step: 10 ms, end: 1.3 s}
gravity: [0, 0, -9.8]
solver: {tolerance: 1.0e-10}
contact: {stiction_tolerance: 1.0e-6 m/s}
rigid:
  floor: {fixed: true, shape: {half_space: {}},
          contact: {friction: 1, point: {stiffness: 2.0e+5 N/m}}}
  box:
    shape: {sphere: {radius: 5 cm}}
    mass: 0.33 kg
    joint: translation
    pose: {position: [0, 0, 49.96766 mm]}
    contact: {friction: 1, point: {stiffness: 2.0e+5 N/m}}
loads: {push: {body: box, force: [FORCE]}}
output: {format: none, every: 0.1 s, history_every: 0.1 s,
         probes: {centre: {body: box, point: [0, 0, 0]}}}
""".replace("FORCE", ", ".join(f"[{t:.4f}, {4 * math.cos(2 * math.pi * t):.12g}, 0, 0]"
                               for t in np.arange(0, 1.3005, 1e-3)))

GRASP = "examples/finray_grasp.yaml"
PLACES = ("probe.left_tip", "probe.right_tip", "cylinder")

# scene, common keys, places, length [m], keys of accuracies, fixed steps [s], accuracies, and that
# of the reference
CASES = {
    "bar": (BAR, {}, ("probe.low", "probe.middle", "probe.top"), 0.05,
            {"time.accuracy_length": "5 cm", "time.accuracy_time": "10 ms",
             "time.max_step": "0.5 ms", "time.min_step": "1.0e-9", "time.step": "10 us"},
            (1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6),
            (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5), 1e-6),
    "box": (BOX, {}, ("probe.centre",), 0.05,
            {"time.accuracy_length": "5 cm", "time.accuracy_time": "0.2 s",
             "time.max_step": "20 ms", "time.min_step": "0.1 us", "time.step": "1 ms"},
            (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4), (1e-2, 1e-3, 1e-4, 1e-5), 1e-7),
    "grasp": (GRASP, {"time.end": "1.2 s", "output.every": "50 ms", "output.format": "none",
                      "solver.tolerance": "1.0e-7", "contact.stick": "soft"}, PLACES, 0.025,
              {"time.accuracy_length": "25 mm", "time.accuracy_time": "20 ms",
               "time.max_step": "20 ms",
               "time.reference_step": "5 ms", "time.min_step": "0.1 us", "time.step": "1 ms"},
              (1e-2, 5e-3, 2e-3, 1e-3, 5e-4), (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5), 1e-6)}


def seconds(folder):
    """Wall time of all phases of the steps, on one thread, without output."""
    with open(os.path.join(folder, "summary.json")) as file:
        summary = json.load(file)
    phases = summary["wall"]["phases"]
    return sum(t for name, t in phases.items() if name != "output"), summary["steps"]


def path(history, places):
    """[times, coordinates] of the places."""
    return np.array([history[f"{p}.{c}"] for p in places for c in "xyz"]).T


def main():
    work = Experiment("work_precision", "P2 Figs 5, 8")
    figure, axes = plt.subplots(1, len(CASES), figsize=(13, 4.2), constrained_layout=True)
    for ax, (name, case) in zip(axes, CASES.items()):
        scene, common, places, length, control, steps, accuracies, finest = case

        def run(label, keys):
            history = work.run(f"{name}_{label}", scene, {**common, **keys})
            cost, count = seconds(os.path.join(work.folder, f"{name}_{label}"))
            return path(history, places), cost, count

        exact, _, _ = run("reference", {**control, "time.accuracy": finest})
        series = {
            "fixed steps": [(f"{h:g} s", run(f"step_{h:g}", {"time.step": h})) for h in steps],
            "time.accuracy": [
                (f"{a:g}", run(f"accuracy_{a:g}", {**control, "time.accuracy": a}))
                for a in accuracies]}
        if name == "bar":
            series["bdf2, fixed steps"] = [
                (f"{h:g} s", run(f"bdf2_step_{h:g}", {"time.step": h, "time.scheme": "bdf2"}))
                for h in steps]
            series["bdf2, time.accuracy"] = [
                (f"{a:g}", run(f"bdf2_accuracy_{a:g}",
                               {**control, "time.accuracy": a, "time.scheme": "bdf2"}))
                for a in accuracies]
        work.say(f"\n{name}\n  {'way':<22}{'step, accuracy':>16}{'steps':>8}{'time [s]':>10}"
                 f"{'error [-]':>11}")
        for (way, runs), mark in zip(series.items(), "os^v"):
            points = []
            for setting, (y, cost, count) in runs:
                error = np.sqrt(np.mean((y - exact) ** 2)) / length
                points.append((cost, error))
                work.say(f"  {way:<22}{setting:>16}{count:>8}{cost:>10.3g}{error:>11.2e}")
            ax.loglog(*zip(*points), mark + "-", label=way)
        ax.set(title=name, xlabel="time of the steps [s]",
               ylabel=f"error of places [-], over {1e3 * length:g} mm")
        ax.grid(True, which="both", alpha=0.3)
        ax.legend(fontsize=8)
    figure.savefig(os.path.join(work.folder, "work_precision.png"), dpi=120)
    with open(os.path.join(work.folder, "table.txt"), "w") as file:
        file.write("\n".join(work.lines) + "\n")


if __name__ == "__main__":
    main()
