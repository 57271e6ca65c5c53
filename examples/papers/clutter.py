"""P0 XII-A and P3 VI-C, case R04: 40 balls and boxes fall into an open box, and on the ground.

What single objects do is chaotic: numbers of the transient are means over several starts, with
their spread."""
import csv
import importlib.util
import json
import os
import sys

import numpy as np
from experiment import COLOUR, Experiment

# the generator beside this folder has this script's name
generator = importlib.util.spec_from_file_location(
    "generator", os.path.join(os.path.dirname(__file__), "..", "clutter.py")
)
generated = importlib.util.module_from_spec(generator)
generator.loader.exec_module(generated)
scene = generated.scene

MODELS = ("sap", "lagged", "similar", "lagged_regularized")
MASS, G, MU, SIGMA = 28.566371, 9.81, 1.0, 1e-3
STEP, STEPS, STIFFNESSES = 2e-3, (1e-2, 5e-3, 2e-3, 1e-3), tuple(10.0**k for k in range(5, 13))
SEEDS = range(41, 51)
SOLVER = "{tolerance: 1.0e-5}"
MEASURE = "{tolerance: 1.0e-5, report_condition: true}"


def run(e, label, every, **changes):
    """History of a run and its summary; rows of the output every so many seconds (0: each step)."""
    output = f"{{every: {every:g}, format: none, pairs: [[all, bin]]}}"
    h = e.run(label, scene(**{"output": output, "step": STEP, "solver": SOLVER, **changes}))
    with open(os.path.join(e.folder, label, "summary.json")) as file:
        summary = json.load(file)
    m, k = changes["model"], changes.get("stiffness", 1e7)
    is_rigid = (
        m != "sap" and k > 1e10
    )  # there Newton ends where the cost no longer changes in round-off
    e.worst_error[is_rigid] = max(e.worst_error[is_rigid], summary["momentum_error_max"])
    e.most_newton[m] = max(e.most_newton.get(m, 0), summary["newton"]["max"])
    return h, summary


def late(h, duration, column):
    """Mean of a column over the last so many seconds."""
    return float(np.mean(h[column][h["time"] > h["time"][-1] - duration + 1e-9]))


def penetration(e, label, duration=1.25):
    """Mean and median over the touching pairs of the last seconds of their deepest point [m]."""
    with open(os.path.join(e.folder, label, "contacts.csv")) as file:
        rows = [(float(row["time"]), float(row["penetration"])) for row in csv.DictReader(file)]
    late_rows = [depth for time, depth in rows if time > rows[-1][0] - duration]
    return float(np.mean(late_rows)), float(np.median(late_rows))


def spread(values):
    return (
        f"{np.mean(values):.3g} +- {np.std(values, ddof=1):.2g} "
        f"({np.min(values):.3g} .. {np.max(values):.3g})"
    )


def models(e):
    """Every model on the papers' scene, step by step."""
    e.say(
        "dt = 2 ms, k = 1e7 N/m, 3 s: Newton mean / max, mean before 1.5 s / after 2.5 s, "
        "condition mean before / after, penetration"
    )
    runs = {}
    for m in MODELS:
        h, summary = run(e, f"model_{m}", 0, model=m, solver=MEASURE)
        early, end = h["time"] <= 1.5, h["time"] > 2.5
        runs[m] = h
        e.say(
            f"  {m}: {summary['newton']['mean']:.2f} / {summary['newton']['max']}, "
            f"{np.mean(h['newton'][early]):.2f} / {np.mean(h['newton'][end]):.2f},"
            f" {np.nanmean(h['condition'][early]):.2e} / {np.nanmean(h['condition'][end]):.2e}, "
            f"{penetration(e, f'model_{m}')[0]:.2e} m"
        )
        e.check(
            f"vertical force on the bin, {m} [N]",
            -late(h, 0.5, "contact.all.bin.fz"),
            MASS * G,
            rtol=1e-3,
        )
    width = 50
    smooth = lambda y: np.convolve(y, np.ones(width) / width, mode="same")
    e.plot(
        "energy",
        lambda a: (
            [
                a.semilogy(h["time"], h["energy.kinetic"], color=COLOUR[m], label=m, lw=1)
                for m, h in runs.items()
            ],
            a.set_ylim(1e-8, 200),
        ),
        "Clutter: kinetic energy, dt = 2 ms",
        "time [s]",
        "kinetic energy [J]",
    )
    e.plot(
        "iterations",
        lambda a: [
            a.plot(h["time"], smooth(h["newton"]), color=COLOUR[m], label=m, lw=1)
            for m, h in runs.items()
        ],
        "Clutter: Newton iterations (mean over 0.1 s), dt = 2 ms",
        "time [s]",
        "iterations a step",
    )
    e.plot(
        "condition",
        lambda a: [
            a.semilogy(h["time"], h["condition"], color=COLOUR[m], label=m, lw=0.5)
            for m, h in runs.items()
        ],
        "Clutter: condition of the Hessian, dt = 2 ms",
        "time [s]",
        "condition number",
    )


def starts(e):
    """Spread of what chaos decides."""
    e.say(f"{len(SEEDS)} starts: mean +- standard deviation (least .. largest)")
    mean = {}
    for m in ("sap", "lagged", "lagged_regularized"):
        newton, most, depth, force = [], [], [], []
        for seed in SEEDS:
            h, summary = run(e, f"start_{m}_{seed}", 10 * STEP, model=m, seed=seed)
            newton.append(summary["newton"]["mean"])
            most.append(summary["newton"]["max"])
            depth.append(penetration(e, f"start_{m}_{seed}")[0])
            force.append(-late(h, 0.5, "contact.all.bin.fz") / (MASS * G))
        mean[m] = np.mean(newton)
        e.say(
            f"  {m}: Newton mean {spread(newton)}, max {spread(most)}, penetration [um] "
            f"{spread(1e6 * np.array(depth))},"
            f" force over weight {spread(force)}"
        )
    e.holds(
        "regularised Lagged needs fewer iterations than Lagged",
        mean["lagged_regularized"] < mean["lagged"],
    )


def ground(e):
    """Without walls, on a half space."""
    for m in MODELS:
        h, summary = run(e, f"ground_{m}", 10 * STEP, model=m, walls=False)
        e.check(
            f"vertical force on the ground, {m} [N]",
            -late(h, 0.5, "contact.all.bin.fz"),
            MASS * G,
            rtol=1e-3,
        )


def time_steps(e):
    """Iterations against the step."""
    e.say("mean iterations at dt = " + ", ".join(f"{1e3 * dt:g}" for dt in STEPS) + " ms")
    newton = {}
    for m in MODELS:
        counts = [run(e, f"step_{m}_{dt:g}", 0.1, model=m, step=dt)[1]["newton"] for dt in STEPS]
        newton[m] = [n["mean"] for n in counts]
        e.say(f"  {m}: " + ", ".join(f"{n['mean']:.2f} (at most {n['max']})" for n in counts))
    for m in ("lagged", "similar"):
        e.holds(f"iterations of {m} fall with dt", newton[m][0] > newton[m][1] > max(newton[m][2:]))
    e.plot(
        "steps",
        lambda a: [
            a.semilogx([1e3 * dt for dt in STEPS], newton[m], "o-", color=COLOUR[m], label=m)
            for m in MODELS
        ],
        "Clutter: mean Newton iterations",
        "time step [ms]",
        "iterations a step",
    )


def stiffness(e):
    """Penetration and iterations against k at the step of P0's Fig. 18.

    A pair that still moves adds what its contact turns within a step, dt^2 w v, whatever k is: from
    1e9 N/m on such pairs make the mean (99.8 % of it at 1e12 N/m).  The median is that of the pairs
    at rest.  Similar keeps a pair dt mu |v_t| higher, also one that only creeps (gliding, P0
    VII-A): from 1e9 N/m on that is more than N/k."""
    e.say(
        "dt = 5 ms, k = 1e5 .. 1e12 N/m: penetration over the last 1.25 s, mean and median [m]; "
        "iterations, mean and most"
    )
    mean, median = {}, {}
    for m in ("sap", "lagged", "similar"):
        newton, depths = [], []
        for k in STIFFNESSES:
            _, summary = run(e, f"stiff_{m}_{k:.0e}", 5e-2, model=m, step=5e-3, stiffness=k)
            newton.append(f"{summary['newton']['mean']:.1f}/{summary['newton']['max']}")
            depths.append(penetration(e, f"stiff_{m}_{k:.0e}"))
        mean[m], median[m] = np.array(depths).T
        for name, values in (("mean", mean[m]), ("median", median[m])):
            e.say(f"  {m}: {name} " + ", ".join(f"{p:.2e}" for p in values))
        e.say(f"  {m}: iterations " + ", ".join(newton))
        if m == "sap":  # near rigid from about 1e6 N/m on: no slope
            continue
        last = {"lagged": len(STIFFNESSES) - 1, "similar": 3}[m]
        slope = np.polyfit(np.log10(STIFFNESSES[: last + 1]), np.log10(median[m][: last + 1]), 1)[0]
        e.check(
            f"slope of log median penetration against log k, {m}, to {STIFFNESSES[last]:.0e} N/m",
            slope,
            -1,
            atol=0.1,
        )
        last = 2
        slope = np.polyfit(np.log10(STIFFNESSES[: last + 1]), np.log10(mean[m][: last + 1]), 1)[0]
        e.check(
            f"slope of log mean penetration against log k, {m}, to {STIFFNESSES[last]:.0e} N/m",
            slope,
            -1,
            atol=0.1,
        )
    run(e, "stiff_lagged_regularized", 5e-2, model="lagged_regularized", step=5e-3, stiffness=1e12)
    e.say("  no model fails at k = 1e12 N/m")
    e.plot(
        "penetration",
        lambda a: [
            a.loglog(STIFFNESSES, values[m], style, color=COLOUR[m], label=f"{m}, {name}")
            for name, values, style in (("mean", mean, "o-"), ("median", median, "x:"))
            for m in values
        ],
        "Clutter: penetration of touching pairs, dt = 5 ms",
        "stiffness [N/m]",
        "penetration [m]",
    )


def last_slips(e, label):
    """Slip speeds of the contacts of the last frame [m/s]."""
    folder = os.path.join(e.folder, label, "vtk")
    with open(
        os.path.join(
            folder, sorted(name for name in os.listdir(folder) if name.startswith("contact_"))[-1]
        )
    ) as file:
        words = file.read().split()
    count, at = (
        int(words[words.index("CELL_DATA") + 1]),
        words.index("slip_velocity") + 2,
    )  # after its type
    return np.linalg.norm(np.array(words[at : at + 3 * count], float).reshape(-1, 3), axis=1)


def near_rigid(e):
    """P3 VI-C: k = 1e12 N/m, relaxation time = dt = 10 ms, 10 s."""
    dt = 1e-2
    output = "{every: 1, format: ascii, pairs: [[all, bin]]}"
    _, summary = run(
        e,
        "near_rigid",
        0,
        model="sap",
        stiffness=1e12,
        step=dt,
        relaxation_time=dt,
        end=10,
        output=output,
    )
    h, _ = run(
        e, "near_rigid_steps", 0, model="sap", stiffness=1e12, step=dt, relaxation_time=dt, end=10
    )
    newton = h["newton"]
    slip = last_slips(e, "near_rigid")
    e.say(
        f"SAP near rigid, dt = 10 ms, 10 s: iterations mean {summary['newton']['mean']:.2f}, max "
        f"{summary['newton']['max']},"
        f" mean over the last 5 s {np.mean(newton[500:]):.2f} (paper: about 3, at step 60: 21)"
    )
    e.check(
        "vertical force on the bin [N]", -late(h, 0.5, "contact.all.bin.fz"), MASS * G, rtol=1e-3
    )
    bound = SIGMA * MU * dt * G
    e.say(
        f"  slip at 10 s: mean {np.mean(slip):.2e}, largest {np.max(slip):.2e} m/s over "
        f"{len(slip)} contacts"
    )
    e.holds(f"mean slip is below sigma mu dt g = {bound:.3g} m/s", np.mean(slip) <= bound)


def main():
    e = Experiment("clutter", "R04")
    e.worst_error, e.most_newton = {False: 0, True: 0}, {}
    for part in (models, starts, ground, time_steps, stiffness, near_rigid):
        part(e)
    e.holds(
        f"momentum error of every step up to k = 1e10 N/m, and of SAP, is below the tolerance: "
        f"{e.worst_error[False]:.3g} <= 1e-5",
        e.worst_error[False] <= 1e-5,
    )
    e.say(
        f"  beyond 1e10 N/m, where the cost's round-off ends Newton: at most "
        f"{e.worst_error[True]:.2g}"
    )
    e.say("  most Newton iterations: " + ", ".join(f"{m} {n}" for m, n in e.most_newton.items()))
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
