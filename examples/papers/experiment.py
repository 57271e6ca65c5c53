"""Shared by the experiments: run a scene for several models and steps, errors against a reference, tables, plots.

Headless; needs numpy and matplotlib.  The program is $SUPPLE or build/release/supple; results go to out/papers/NAME.
"""
import csv
import os
import subprocess
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

PROGRAM = os.environ.get("SUPPLE", "build/release/supple")
MODELS = ("sap", "lagged", "similar")
COLOUR = {"sap": "tab:orange", "lagged": "tab:blue", "similar": "tab:green", "lagged_regularized": "tab:purple"}


class Experiment:
    """Folder, table and checks of one experiment."""

    def __init__(self, name, case):
        self.folder = os.path.join("out", "papers", name)
        self.case, self.misses, self.explained, self.lines = case, 0, 0, []
        os.makedirs(self.folder, exist_ok=True)
        self.say(f"{name} ({case})")

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def run(self, label, scene, settings=None):
        """Columns of history.csv of a scene: a file NAME.yaml, or text; settings {KEY: value} override its keys (--set)."""
        path = scene
        if not scene.endswith(".yaml"):
            path = os.path.join(self.folder, label + ".yaml")
            with open(path, "w") as file:
                file.write(scene)
        folder = os.path.join(self.folder, label)
        command = [PROGRAM, "run", path, "-q", "-o", folder]
        for key, value in (settings or {}).items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{label}, {path}: {done.stderr.strip()}")
        with open(os.path.join(folder, "history.csv")) as file:
            rows = list(csv.reader(file))
        return {name: np.array([float(row[i] or "nan") for row in rows[1:]]) for i, name in enumerate(rows[0])}

    def check(self, what, value, expected, rtol=0.0, atol=0.0, reason=""):
        """One line: value, expected, within its tolerance or not, and why not when that is known."""
        good = abs(value - expected) <= atol + rtol * abs(expected)
        self.misses += not good and not reason
        self.explained += not good and bool(reason)
        self.say(f"  {'ok  ' if good else 'MISS'} {what}: {value:.9g}, expected {expected:.9g}"
                 f" (off {value - expected:+.2e}, tolerance {atol + rtol * abs(expected):.1e})"
                 + (f": {reason}" if reason and not good else ""))

    def plot(self, name, draw, title, xlabel, ylabel):
        figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
        draw(axes)
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(os.path.join(self.folder, name + ".png"), dpi=110)
        plt.close(figure)

    def finish(self):
        self.say(f"{self.explained} misses with a known reason, {self.misses} without")
        with open(os.path.join(self.folder, "table.txt"), "w") as file:
            file.write("\n".join(self.lines) + "\n")
        return 1 if self.misses else 0


def rms_error(h, reference, names):
    """e_q = (1/T int |q - q_ref|^2 dt)^(1/2), the reference interpolated linearly."""
    t = h["time"]
    square = sum((h[n] - np.interp(t, reference["time"], reference[n])) ** 2 for n in names)
    return np.sqrt(np.trapz(square, t) / (t[-1] - t[0]))


def orders(steps, errors):
    """Slopes of log error against log step between neighbours."""
    return [np.log(errors[i] / errors[i + 1]) / np.log(steps[i] / steps[i + 1]) for i in range(len(steps) - 1)]
