"""P3 VI-C, case R04: SAP on the near-rigid clutter.  Iterations and time of each step (Fig. 9),
convergence within a step (Fig. 10), number of objects with and without walls (Figs 11 to 13) and
the slip parameter sigma (Figs 14, 15).

P3 compares with Gurobi and a geodesic interior-point method, which are not here; CVXOPT's conic
interior points solve some of the steps in their place where it is installed."""
import importlib.util
import json
import os
import subprocess
import sys
import time

import numpy as np
from experiment import PROGRAM, Experiment, load_log

HERE = os.path.dirname(os.path.abspath(__file__))


def module(name, *path):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, *path))
    out = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(out)
    return out


generated = module("generator", "..", "clutter.py")
G, MU, DT, SIGMA, TOLERANCE = 9.81, 1.0, 1e-2, 1e-3, 1e-5
HEIGHTS = (2, 5, 10, 20, 40)  # objects in each of the four columns
SIGMAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
WALLS = {"walls": True, "ground": False}
STYLE = {"walls": ("tab:blue", "o-"), "ground": ("tab:orange", "s--")}
MOST_ROWS = 900  # that the interior-point method gets, which is dense


def scene(
    height,
    walls,
    end=10,
    solver="{tolerance: 1.0e-5}",
    output="{every: 0, format: none, timing: true}",
):
    return generated.scene(
        objects=4 * height,
        column=(generated.COLUMN * 4)[:height],
        walls=walls,
        stiffness=1e12,
        model="sap",
        step=DT,
        end=end,
        relaxation_time=DT,
        solver=solver,
        output=output,
    )


def run(e, label, *args, **more):
    """History of the run, and its summary."""
    h = e.run(label, scene(*args, **more))
    with open(os.path.join(e.folder, label, "summary.json")) as file:
        return h, json.load(file)


def supple(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "-q"], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")


def export(e, label, step):
    """The problem of a step of a scene that was run."""
    path = os.path.join(e.folder, f"{label}_{step}.npz")
    supple("export", os.path.join(e.folder, label + ".yaml"), "--step", str(step), "-o", path)
    return path


def steps_over_time(e):
    e.head("40 objects in the box, k = 1e12 N/m, 10 ms, 10 s (P3 Fig. 9)")
    h, s = run(e, "walls_40", 10, True)
    newton, seconds = h["newton"][1:], h["step_seconds"][1:]
    e.say(
        f"  iterations a step: mean {s['newton']['mean']:.2f}, most {s['newton']['max']} at step "
        f"{np.argmax(newton) + 1}, mean over the last 5 s {np.mean(newton[500:]):.2f}; "
        "paper: 21 at step 60, about 3 at the end"
    )
    e.say(
        f"  time a step: mean {1e3 * np.mean(seconds):.2f} ms, mean of the first second "
        f"{1e3 * np.mean(seconds[:100]):.2f}, of the last 5 s {1e3 * np.mean(seconds[500:]):.2f}"
    )
    e.holds(
        "steps of the fall take longer than those at rest",
        np.mean(seconds[:100]) > np.mean(seconds[500:]),
    )
    interior = {}
    for step in (30, 60, 120, 250, 520, 1000):
        found = conic(export(e, "walls_40", step))
        if found:
            interior[step] = found
    if interior:
        e.say(
            "  CVXOPT on steps "
            + ", ".join(f"{k}: {n} iterations, {1e3 * t:.0f} ms" for k, (n, t) in interior.items())
            + "; P3: Gurobi takes some 9 at all times"
        )
    for name, values, ours, label, unit in (
        ("iterations", newton, 0, "iterations", "iterations a step"),
        ("time", 1e3 * seconds, 1, "time", "wall time a step [ms]"),
    ):

        def draw(a, values=values, ours=ours):
            a.semilogy(
                h["time"][1:],
                np.maximum(values, 0.5 if not ours else 0),
                lw=0.6,
                label="SAP by Newton",
            )
            if interior:
                a.semilogy(
                    [DT * k for k in interior],
                    [v[0] if not ours else 1e3 * v[1] for v in interior.values()],
                    "kx",
                    label="CVXOPT's interior points",
                )

        drawn = "" if ours else " (0 drawn as 0.5)"
        title = f"Fig. 9: clutter of 40 objects, {label} of each step{drawn}"
        e.plot(f"fig9_{name}", draw, title, "time [s]", unit)
    return h


def conic(path):
    """Iterations and seconds of CVXOPT on a stored problem; None: not there, or too large."""
    try:
        import cvxopt
        import cvxopt.solvers
    except ImportError:
        return None
    z = np.load(path)
    contacts, n = len(z["mus"]), len(z["g"])
    if n > MOST_ROWS or n == 0 or n > 3 * contacts:
        return None
    M = z["G"] + np.diag(z["R"])
    scale = np.repeat(1 / np.sqrt(np.diag(M).reshape(-1, 3).mean(axis=1)), 3)
    q = scale * (z["g"] - z["cstar"])
    cone = np.zeros((n, n))
    for i in range(0, n, 3):  # |lam_T| <= mu lam_N
        cone[i, i + 2], cone[i + 1, i], cone[i + 2, i + 1] = -z["mus"][i // 3], -1, -1
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-12, reltol=1e-8, feastol=1e-8)
    m = cvxopt.matrix
    start = time.process_time()
    out = cvxopt.solvers.coneqp(
        m(scale[:, None] * M * scale),
        m(q / np.abs(q).max()),
        m(cone),
        m(np.zeros(n)),
        {"l": 0, "q": [3] * contacts, "s": []},
    )
    return out["iterations"], time.process_time() - start


def convergence(e, h):
    e.head("cost and momentum error within a step, tolerance 1e-13 (P3 Fig. 10)")
    most = int(np.argmax(h["newton"][1:120])) + 1
    curves = {}
    for step in sorted({60, most, 520}):
        path = export(e, "walls_40", step)
        log = os.path.join(e.folder, f"step_{step}.csv")
        supple(
            "contact",
            path,
            "--solver",
            "newton",
            "--tolerance",
            "1e-13",
            "--log",
            log,
            "--max-iterations",
            "200",
        )
        rows = load_log(log)
        largest = rows["island"][np.argmax(rows["iteration"])]
        own = (rows["island"] == largest) & (rows["solution"] == 0)
        energy, error = rows["energy"][own], rows["momentum_error"][own]
        cost = (energy - energy[-1]) / (energy[0] - energy[-1])
        curves[step] = (rows["iteration"][own], cost, error)
        to = int(np.argmax(error <= TOLERANCE))
        small = [k for k in range(1, len(error) - 1) if error[k] < 0.1 and error[k] > 1e-7]
        order = [np.log(error[k + 1]) / np.log(error[k]) for k in small]
        e.say(
            f"  step {step}: {to} iterations to {TOLERANCE:g}, {len(error) - 1} to the end; last "
            "momentum errors "
            + ", ".join(f"{x:.1e}" for x in error[-5:])
            + f"; largest order {max(order, default=np.nan):.2f}"
        )
        if step == 60:
            e.holds(
                "step 60 ends with quadratic convergence (order above 1.7), as P3 has it",
                max(order, default=0) > 1.7,
            )
    e.say("  paper: 21 iterations at step 60, quadratic in the end; 5 at step 520, linear")

    def draw(a):
        for step, (k, cost, error) in curves.items():
            shown = cost > 0
            line = a.semilogy(k[shown], cost[shown], "o-", ms=3, label=f"step {step}: cost")[0]
            a.semilogy(k, error, "x:", ms=4, color=line.get_color(), label="its momentum error")
        a.set_ylim(1e-16, 10)

    e.plot(
        "fig10",
        draw,
        "Fig. 10: convergence within a step (largest island)",
        "Newton iteration",
        "(l - l*)/(l0 - l*), momentum error [-]",
    )


def scaling(e):
    e.head("2 to 40 objects in each of four columns (P3 Figs 11 to 13)")
    rows, of = [], {}
    for place, walls in WALLS.items():
        for height in HEIGHTS:
            label = f"{place}_{4 * height}"
            h, s = run(e, label, height, walls)
            last = h["time"] > h["time"][-1] - 1
            seconds = h["step_seconds"][1:]
            found = conic(export(e, label, round(h["time"][-1] / DT)))
            quick = np.median(h["step_seconds"][last])
            of[label] = row = (
                place,
                4 * height,
                h["contacts"][-1],
                h["islands"][-1],
                s["newton"]["mean"],
                s["newton"]["max"],
                1e3 * np.mean(seconds),
                1e3 * quick,
                found and 1e3 * found[1],
                found and found[1] / quick,
                np.mean(h["momentum_error"][1:]),
                s["momentum_error_max"],
                np.mean(h["complementarity_error"][1:]),
                s["complementarity_error_max"],
            )
            rows.append(row)
    e.table(
        "scaling",
        "objects; contacts and islands at 10 s, iterations, times, errors over all steps",
        (
            "place",
            "objects",
            "contacts",
            "islands",
            "iterations",
            "most",
            "ms a step",
            "ms at the end",
            "CVXOPT [ms]",
            "over ours",
            "e_m mean",
            "e_m most",
            "e_c mean",
            "e_c most",
        ),
        rows,
    )
    e.holds(
        "momentum errors are below the tolerance, 1e-5 (Fig. 13)",
        max(r[11] for r in rows) <= TOLERANCE,
    )
    e.holds(
        "complementarity of SAP is exact to round-off, 1e-14 (Fig. 13)",
        max(r[13] for r in rows) < 1e-14,
    )
    e.holds(
        "without walls objects part into more islands",
        all(of[f"ground_{4 * n}"][3] >= of[f"walls_{4 * n}"][3] for n in HEIGHTS[2:]),
    )
    more = [n for n in HEIGHTS if of[f"ground_{4 * n}"][2] > of[f"walls_{4 * n}"][2]]
    e.holds(
        "without walls there are more contacts at the end (Fig. 11)",
        len(more) == len(HEIGHTS),
        f"for {len(more)} of {len(HEIGHTS)} sizes; a box that lies flat has 4 contacts here, in "
        "the authors' public program 9 spheres a face; whether the figures have them is not known",
    )
    for place in WALLS:
        size = np.array([r[1] for r in rows if r[0] == place], float)
        cost = np.array([r[6] for r in rows if r[0] == place])
        slope = np.polyfit(np.log(size[1:]), np.log(cost[1:]), 1)[0]
        e.say(f"  {place}: time a step grows as the number of objects to the {slope:.2f}")

    def draw(a, column, third=None):
        for place, (colour, style) in STYLE.items():
            own = [r for r in rows if r[0] == place]
            a.loglog(
                [r[1] for r in own],
                [r[column] for r in own],
                style,
                color=colour,
                label=f"Newton, {place}",
            )
            if third:
                have = [r for r in own if r[third]]
                a.loglog(
                    [r[1] for r in have],
                    [r[third] for r in have],
                    ":",
                    marker="x",
                    color=colour,
                    label=f"CVXOPT, {place}",
                )

    e.plot("fig11", lambda a: draw(a, 2), "Fig. 11: contacts at 10 s", "objects", "contacts")
    e.plot(
        "fig12",
        lambda a: draw(a, 7, 8),
        "Fig. 12: time of a step at rest (P3 plots the ratio to Gurobi)",
        "objects",
        "time a step [ms]",
    )
    e.plot(
        "fig13",
        lambda a: (draw(a, 10), a.axhline(TOLERANCE, color="k", lw=0.8, ls="--")),
        "Fig. 13: momentum error, mean of all steps (line: tolerance)",
        "objects",
        "e_m [-]",
    )


def last_slips(folder):
    """Slip speeds of the contacts of the last frame [m/s]."""
    vtk = os.path.join(folder, "vtk")
    name = sorted(n for n in os.listdir(vtk) if n.startswith("contact_"))[-1]
    with open(os.path.join(vtk, name)) as file:
        words = file.read().split()
    count, at = int(words[words.index("CELL_DATA") + 1]), words.index("slip_velocity") + 2
    return np.linalg.norm(np.array(words[at : at + 3 * count], float).reshape(-1, 3), axis=1)


def slip_parameter(e):
    """P3 says 10 s; here some objects still roll or tip then, and where one does it makes the
    mean."""
    end = 30
    e.head(f"the slip parameter sigma, 40 objects, {end} s (P3 Figs 14, 15)")
    rows = []
    for place, walls in WALLS.items():
        for sigma in SIGMAS:
            label = f"sigma_{place}_{sigma:g}"
            text = scene(
                10,
                walls,
                end,
                solver="{tolerance: 1.0e-5, report_condition: true}",
                output="{every: 1, format: ascii}",
            )
            h = e.run(label, text, {"contact.sigma": sigma})
            with open(os.path.join(e.folder, label, "summary.json")) as file:
                s = json.load(file)
            slip = last_slips(os.path.join(e.folder, label))
            rows.append(
                (
                    place,
                    sigma,
                    np.mean(slip),
                    np.median(slip),
                    np.max(slip),
                    MU * sigma * DT * G,
                    h["condition"][-1],
                    s["newton"]["mean"],
                    s["newton"]["max"],
                    len(slip),
                )
            )
    e.table(
        "sigma",
        "slip at the end [m/s], condition of the Hessian there, iterations",
        (
            "place",
            "sigma",
            "mean slip",
            "median",
            "largest",
            "sigma mu dt g",
            "condition",
            "iterations",
            "most",
            "contacts",
        ),
        rows,
    )
    for place in WALLS:
        own = [r for r in rows if r[0] == place]
        for r in own:
            e.holds(
                f"{place}, sigma {r[1]:g}: mean slip {r[2]:.1e} below the estimate {r[5]:.1e} m/s",
                r[2] <= r[5],
                ""
                if r[4] < 10 * r[5] or r[3] > r[5]
                else f"one contact slips at {r[4]:.1e} m/s and still moves; median {r[3]:.1e}",
            )
        s = np.log10([r[1] for r in own])
        condition, newton = (np.polyfit(s, np.log10([r[k] for r in own]), 1)[0] for k in (6, 7))
        e.say(
            f"  {place}: condition goes as sigma^{condition:.2f}, mean iterations as "
            f"sigma^{newton:.2f}"
        )
    mean = {place: np.array([r[2] for r in rows if r[0] == place]) for place in WALLS}
    e.say(
        "  P3 finds a sudden drop without walls at large sigma, too: boxes creep until they lie"
    )
    e.holds(
        "without walls slips are smaller for most sigma (Fig. 14)",
        np.sum(mean["ground"] < mean["walls"]) >= 3,
    )

    def draw(a, column):
        for place, (colour, style) in STYLE.items():
            own = [r for r in rows if r[0] == place]
            a.loglog(
                [r[1] for r in own], [r[column] for r in own], style, color=colour, label=place
            )

    e.plot(
        "fig14",
        lambda a: (
            draw(a, 2),
            a.loglog(SIGMAS, MU * DT * G * np.array(SIGMAS), "k--", lw=0.8, label="sigma mu dt g"),
        ),
        f"Fig. 14: mean slip of 40 objects at {end} s",
        "sigma [-]",
        "mean slip [m/s]",
    )
    e.plot(
        "fig15_condition",
        lambda a: draw(a, 6),
        f"Fig. 15: condition of the Hessian at {end} s",
        "sigma [-]",
        "condition number [-]",
    )
    e.plot(
        "fig15_iterations",
        lambda a: draw(a, 7),
        "Fig. 15: mean Newton iterations",
        "sigma [-]",
        "iterations a step",
    )


def main():
    e = Experiment("sap_clutter", "R04, P3 VI-C by SAP")
    convergence(e, steps_over_time(e))
    scaling(e)
    slip_parameter(e)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
