"""Shared by the experiments: run a scene for several models and steps, errors against a reference,
tables, plots.

Headless; needs numpy and matplotlib.  The program is $SUPPLE or build/release/supple; results go to
out/papers/NAME."""
import csv
import json
import os
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

PROGRAM = os.environ.get("SUPPLE", "build/release/supple")
MODELS = ("sap", "lagged", "similar")
COLOUR = {
    "sap": "tab:orange",
    "lagged": "tab:blue",
    "similar": "tab:green",
    "lagged_regularized": "tab:purple",
}

# Settings of what solves a step's contact problem, and the law that it solves for (P4).
SOLVERS = {
    "newton lagged": {"contact.model": "lagged"},
    "tamsi": {"contact.solver": "tamsi", "contact.tamsi.descent": "false"},
    "newton sap": {"contact.model": "sap", "contact.beta": 0},
    "ncp_pgs": {"contact.solver": "ncp_pgs", "contact.dual.subspace": 0},
    "ncp_staggered": {"contact.solver": "ncp_staggered"},
    "raisim": {"contact.solver": "raisim", "contact.dual.subspace": 0},
    "ccp_pgs": {"contact.solver": "ccp_pgs", "contact.dual.subspace": 0},
    "ccp_admm": {"contact.solver": "ccp_admm"},
    "mujoco": {"contact.solver": "mujoco"},
    "lcp_pgs": {"contact.solver": "lcp_pgs", "contact.dual.subspace": 0},
    "lcp_staggered": {"contact.solver": "lcp_staggered"},
}
# Each is studied as it is: what it leaves of its law is not handed over to another.
for settings in SOLVERS.values():
    if settings.get("contact.solver", "tamsi") != "tamsi":
        settings["contact.dual.hand_over_above"] = 0
COULOMB = ("newton lagged", "tamsi", "ncp_pgs", "ncp_staggered")
CONVEX = ("newton sap", "ccp_pgs", "ccp_admm", "mujoco")
SQUARE = ("lcp_pgs", "lcp_staggered")
LINE = {  # of one law one colour
    "newton lagged": ("tab:blue", "-"),
    "tamsi": ("tab:purple", "-."),
    "ncp_pgs": ("tab:blue", "--"),
    "ncp_staggered": ("tab:blue", ":"),
    "newton sap": ("tab:orange", "-"),
    "ccp_pgs": ("tab:orange", "--"),
    "ccp_admm": ("tab:orange", ":"),
    "mujoco": ("tab:brown", "-."),
    "lcp_pgs": ("tab:green", "--"),
    "lcp_staggered": ("tab:green", ":"),
    "raisim": ("tab:red", "-"),
}


def line(solver, **more):
    """Arguments of plot for a solver."""
    colour, style = LINE[solver]
    return {"color": colour, "linestyle": style, "label": solver, **more}


def load_csv(path):
    """Columns {name: array} of a file; empty fields are NaN."""
    with open(path) as file:
        rows = list(csv.reader(file))
    return {
        name: np.array([float(row[i] or "nan") for row in rows[1:]])
        for i, name in enumerate(rows[0])
    }


def load_log(path):
    """Columns {name without unit: array} of solver.csv or of a log of `supple contact`."""
    with open(path) as file:
        rows = list(csv.reader(file))
    out = {}
    for i, name in enumerate(rows[0]):
        own = [row[i] for row in rows[1:]]
        out[name.split(" [")[0]] = (
            np.array(own) if name == "strategy" else np.array([float(x or "nan") for x in own])
        )
    return out


def load_contacts(folder):
    """Point contacts of all frames of a run in ASCII: a list of (points [n x 3], forces [n x 3] in
    N), on that body of the two which they push up."""
    with open(os.path.join(folder, "vtk", "contact.vtk.series")) as file:
        names = [entry["name"] for entry in json.load(file)["files"]]
    out = []
    for name in names:
        with open(os.path.join(folder, "vtk", name)) as file:
            words = file.read().split()
        n = int(words[words.index("POINTS") + 1])

        def numbers(at):
            return np.array(words[at : at + 3 * n], dtype=float).reshape(n, 3)

        force = numbers(words.index("traction") + 2) if n else np.zeros((0, 3))
        force *= np.where(force[:, 2:] < 0, -1, 1)
        out.append((numbers(words.index("POINTS") + 3), force))
    return out


class Experiment:
    """Folder, table and checks of one experiment."""

    def __init__(self, name, case):
        self.folder = os.path.join("out", "papers", name)
        self.case, self.good, self.misses, self.explained, self.lines = case, 0, 0, 0, []
        os.makedirs(self.folder, exist_ok=True)
        self.say(f"{name} ({case})")

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def summary(self, label):
        """summary.json of a run."""
        with open(os.path.join(self.folder, label, "summary.json")) as file:
            return json.load(file)

    def run(self, label, scene, settings=None):
        """Columns of history.csv of a scene: a file NAME.yaml, or text; settings {KEY: value}
        override its keys (--set).  Rows are as far apart as frames where only that is said."""
        settings = dict(settings or {})
        if "output.every" in settings:
            settings.setdefault("output.history_every", settings["output.every"])
        path = scene
        if not scene.endswith(".yaml"):
            path = os.path.join(self.folder, label + ".yaml")
            with open(path, "w") as file:
                file.write(scene)
        folder = os.path.join(self.folder, label)
        command = [PROGRAM, "run", path, "-q", "-o", folder]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{label}, {path}: {done.stderr.strip()}")
        return load_csv(os.path.join(folder, "history.csv"))

    def head(self, title):
        """Begin a part of the table."""
        self.say(
            f"\n{title}\n  {'quantity':<46}{'value':>16}{'expected':>16}{'tolerance':>11}  verdict"
        )

    def check(self, what, value, expected, rtol=0.0, atol=0.0, reason=""):
        """One line: value, expected, within its tolerance or not, and why not when that is
        known."""
        tolerance = atol + rtol * abs(expected)
        good = abs(value - expected) <= tolerance
        self.good += good
        self.misses += not good and not reason
        self.explained += not good and bool(reason)
        self.say(
            f"  {what:<46}{value:>16.8g}{expected:>16.8g}{tolerance:>11.1e}  "
            + (
                "ok"
                if good
                else f"MISS by {value - expected:+.2e}" + (f": {reason}" if reason else "")
            )
        )

    def trace(self, label, history, name, columns, reason=""):
        """Largest differences against the steps of ../shared/cases/traces/NAME; columns {theirs:
        ours, a history column or an array}.  Rounding of 13 digits and the solver's tolerance are
        below 1e-6; more needs a reason."""
        path = os.path.join("..", "shared", "cases", "traces", name)
        if not os.path.exists(path):
            return self.say(f"  {label:<34}skipped: {path} is not there")
        theirs = load_csv(path)
        difference = {}
        for column, ours in columns.items():
            ours = history[ours] if isinstance(ours, str) else ours
            first = column in ("ft", "fn")  # forces belong to steps: there is none at the start
            difference[column] = np.max(
                np.abs(ours[first : len(theirs["t"])] - theirs[column][first:])
            )
        good = max(difference.values()) <= 1e-6
        self.good += good
        self.misses += not good and not reason
        self.explained += not good and bool(reason)
        self.say(
            f"  {label:<34}"
            + "".join(f"{d:>10.1e}" for d in difference.values())
            + ("  ok" if good else f"  MISS{': ' + reason if reason else ''}")
        )

    def holds(self, what, is_so, reason=""):
        """One line: a statement that is true or not, and why not when that is known."""
        self.good += bool(is_so)
        self.misses += not is_so and not reason
        self.explained += not is_so and bool(reason)
        self.say(f"  {what}  " + ("ok" if is_so else "MISS" + (f": {reason}" if reason else "")))

    def table(self, name, title, header, rows):
        """Rows as text and as NAME.csv; numbers have four digits as text, None is empty."""

        def text(value):
            if value is None:
                return ""
            return value if isinstance(value, str) else f"{value:.4g}"

        cells = [list(header)] + [[text(value) for value in row] for row in rows]
        width = [max(len(row[i]) for row in cells) for i in range(len(header))]
        self.say(f"\n{title}")
        for row in cells:
            self.say("  " + "  ".join(c.ljust(w) for c, w in zip(row, width)).rstrip())
        with open(os.path.join(self.folder, name + ".csv"), "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])

    def plot(self, name, draw, title, xlabel, ylabel):
        figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
        draw(axes)
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
        figure.savefig(os.path.join(self.folder, name + ".png"), dpi=110)
        plt.close(figure)

    def finish(self):
        self.say(
            f"\n{self.case}: {self.good} of {self.good + self.misses + self.explained} reached; "
            f"{self.explained} misses with a known reason, {self.misses} without\n"
        )
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
    return [
        np.log(errors[i] / errors[i + 1]) / np.log(steps[i] / steps[i + 1])
        for i in range(len(steps) - 1)
    ]
