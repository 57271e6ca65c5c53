"""P2 IV-A and VI-A, cases R06 and R07: TAMSI's limiter (TALS) against plain Newton on the
stick-slip box, its convergence and its work for an error; a mug that is shaken and turns."""
import json
import os
import sys

import numpy as np
from experiment import Experiment, load_log, orders

M, G, F0, W, VS, WINDOW = 0.33, 9.8, 4.0, 2 * np.pi, 1e-4, 0.025
HERE = os.path.dirname(os.path.abspath(__file__))


def box_scene(dt, end, ends_of_steps):
    """A ball that cannot turn stands for the box.  The force is that of the step's end, as implicit
    Euler takes it, or the cosine."""
    if ends_of_steps:
        rows = [
            (t, F0 * np.cos(W * (k + 1) * dt))
            for k in range(round(end / dt))
            for t in (k * dt, (k + 1) * dt - 1e-9)
        ]
    else:
        rows = [(t, F0 * np.cos(W * t)) for t in np.arange(0, end + 1e-3, 2.5e-4)]
    table = ",\n      ".join(f"[{t:.10g}, {f:.12g}, 0, 0]" for t, f in rows)
    return f"""supple: 1
time: {{step: {dt!r}, end: {end!r}}}
gravity: [0, 0, -9.8]
solver: {{tolerance: 1.0e-8}}
contact:
  solver: tamsi
  softening: linear
  stiction_tolerance: {VS!r}
  defaults: {{friction: 1, point: {{stiffness: 2.0e+5}}, dissipation: 0}}
rigid:
  floor: {{shape: {{half_space: {{}}}}, fixed: true}}
  box:
    shape: {{sphere: {{radius: 50 mm}}}}
    mass: {M!r}
    inertia: [1.0e+6, 1.0e+6, 1.0e+6]
    pose: {{position: [0, 0, {0.05 - M * G / 1e5!r}]}}
loads:
  push: {{body: box, force: [
      {table}]}}
output: {{every: {dt!r}, format: none}}
"""


def flow(v, t, duration):
    """Velocity after `duration` of m v' = f(t) - W f(|v|/v_s) sgn v with the ramp of P2 eq. 7: in
    pieces that are known in closed form, cut where |v| = v_s, by bisection."""
    weight, rate, end = M * G, G / VS, t + duration

    def slide(v0, t0, t1):
        return (
            v0 + (F0 / W * (np.sin(W * t1) - np.sin(W * t0)) - np.sign(v0) * weight * (t1 - t0)) / M
        )

    def stick(v0, t0, t1):
        def forced(x):  # of v' + rate v = F0/M cos(W x)
            return F0 / M * (rate * np.cos(W * x) + W * np.sin(W * x)) / (rate**2 + W**2)

        return forced(t1) + (v0 - forced(t0)) * np.exp(-rate * (t1 - t0))

    while t < end - 1e-15:
        moves = abs(v) > VS or (
            abs(v) == VS
            and abs(F0 * np.cos(W * t)) > weight
            and np.sign(F0 * np.cos(W * t)) == np.sign(v)
        )
        piece = slide if moves else stick

        def is_outside(
            at, v=v, t=t, piece=piece
        ):  # a slide ends where it comes down to v_s, on its own side of rest
            return (
                np.sign(v) * slide(v, t, at) if piece is slide else np.abs(stick(v, t, at))
            ) > VS

        times = np.linspace(t, end, 400)
        outside = is_outside(times)
        change = np.nonzero(outside[1:] != moves)[0]
        if len(change) == 0:
            return piece(v, t, end)
        low, high = times[change[0]], times[change[0] + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if is_outside(middle) == moves else (low, middle)
        v, t = np.sign(piece(v, t, high)) * VS, high
    return v


def local_error(h):
    """P2 IV: L2 norm over the windows of the velocity less that which the exact flow has from the
    window's start."""
    at, v = h["time"], h["box.vx"]
    return np.sqrt(
        sum((v[i + 1] - flow(v[i], at[i], WINDOW)) ** 2 for i in range(len(at) - 1)) * WINDOW
    )


def work(e, label):
    with open(os.path.join(e.folder, label, "summary.json")) as file:
        s = json.load(file)
    return s["newton"]["mean"] * s["steps"], s["substeps"]["max"]


NEWTONS = {
    "full Newton, TALS": ("full", "tals", "tab:blue", "o-"),
    "full Newton": ("full", "none", "tab:blue", "x:"),
    "quasi-Newton, TALS": ("quasi", "tals", "tab:orange", "o-"),
    "quasi-Newton": ("quasi", "none", "tab:orange", "x:"),
}
STEPS = (2.5e-2, 1.25e-2, 5e-3, 2.5e-3, 1.25e-3, 5e-4, 2.5e-4, 1.25e-4, 5e-5, 2.5e-5)


def valid_until(points):
    """Largest error up to which first order holds: work times error is no more than a third above
    what it is for small errors."""
    small = np.median([error * cost for error, cost in points if error < 3e-4])
    largest = 0
    for error, cost in sorted(points):
        if error * cost > 4 / 3 * small:
            break
        largest = error
    return largest


def iterates(e):
    """P2 Fig. 4, from the log of iterations: the step from t = .160 s, the first that ends in
    stiction."""
    e.head("iterates of the step from .160 s, 10 ms (P2 Fig. 4)")
    plain = {"contact.tamsi.line_search": "none", "contact.tamsi.substeps": 100000}
    curves = {}
    for name, settings in (("Newton with TALS", {}), ("plain Newton", plain)):
        label = "iterates_" + ("plain" if settings else "tals")
        e.run(label, box_scene(0.01, 0.17, True), {"output.solver_log": "true", **settings})
        log = load_log(os.path.join(e.folder, label, "solver.csv"))
        own = (log["step"] == 17) & (log["strategy"] == "")  # substeps have their name there
        curves[name] = {key: log[key][own] for key in ("iteration", "slip", "momentum_error",
                                                       "line_step")}
        e.say(f"  {name}: slip [m/s] " + ", ".join(f"{v:.3g}" for v in curves[name]["slip"][:8])
              + (", .." if len(curves[name]["slip"]) > 8 else ""))
    tals, newton = curves["Newton with TALS"], curves["plain Newton"]
    e.table("fig4", "iterates",
            ("method", "iteration", "slip [m/s]", "momentum error", "share of step"),
            [(name, *row) for name, c in curves.items()
             for row in zip(c["iteration"], c["slip"], c["momentum_error"], c["line_step"])])
    e.holds("plain Newton comes back to the same two velocities, both outside of |v| < v_s",
            len(newton["slip"]) == 21 and min(newton["slip"]) > VS
            and np.ptp(newton["slip"][-6::2]) < 1e-9 and np.ptp(newton["slip"][-5::2]) < 1e-9)
    e.check("slip with TALS when it crosses rest [m/s]", tals["slip"][1], 0.5 * VS, rtol=1e-6)
    e.holds(f"then it ends inside after {len(tals['slip']) - 1} iterations in all",
            tals["slip"][-1] < VS and tals["momentum_error"][-1] < 1e-8)

    def draw(a, key, line=None):
        for (name, c), style in zip(curves.items(), ("o-", "x:")):
            a.semilogy(c["iteration"], np.maximum(c[key], 1e-16), style, label=name, linewidth=1)
        if line:
            a.axhline(line, color="gray", linewidth=0.8, label="v_s")

    e.plot("fig4_residual", lambda a: draw(a, "momentum_error"),
           "P2 Fig. 4: residual in the step from .160 s (drawn from 1e-16 on)", "Newton iteration",
           "momentum error [-]")
    e.plot("fig4_slip", lambda a: draw(a, "slip", VS), "The same: speed of the box",
           "Newton iteration", "slip [m/s]")


def box(e):
    e.head("the box in steps of 10 ms, force of the step's end (P2 Fig. 4)")
    h = e.run("ten_ms", box_scene(0.01, 1.3, True))
    slips = np.abs(h["box.vx"]) > VS
    changes = [t for t, a, b in zip(h["time"][2:], slips[1:-1], slips[2:]) if a != b]
    for k, (t, exact) in enumerate(zip(changes, (0.17, 0.40, 0.70, 0.90, 1.20))):
        e.check(
            f"end of step {'that sticks' if k % 2 == 0 else 'that slips'} [s]",
            t,
            exact,
            atol=1e-6 if k == 0 else 0.0101,
        )
    cost, parts = work(e, "ten_ms")
    e.check("most parts of a step", parts, 1)
    plain = {"contact.tamsi.line_search": "none", "contact.tamsi.substeps": 100000}
    h = e.run("ten_ms_plain", box_scene(0.01, 1.3, True), plain)
    divided = [round(t - 0.01, 3) for t, n in zip(h["time"], h["substeps"]) if n > 1]
    e.say(
        f"  without TALS {len(divided)} of 130 steps are divided, in up to "
        f"{np.max(h['substeps']):.0f} parts; they begin at "
        + ", ".join(f"{t:g}" for t in divided)
        + " s"
    )
    e.holds(
        "without TALS the first that fails after the start is the one from .160 s",
        0.16 in divided and min(t for t in divided if t > 0.01) == 0.16,
    )
    e.say(f"  iterations: {cost:.0f}, without TALS {work(e, 'ten_ms_plain')[0]:.0f}")

    e.say(
        "\nwork and precision (P2 Fig. 5): error of v over windows of 25 ms, Newton iterations of "
        "one second"
    )
    points = {}
    for name, (newton, limit, _, _) in NEWTONS.items():
        points[name] = []
        for dt in STEPS:
            label = f"{newton}_{limit}_{dt:g}"
            h = e.run(
                label,
                box_scene(dt, 1.0, True),
                {
                    "contact.tamsi.newton": newton,
                    "contact.tamsi.line_search": limit,
                    "contact.tamsi.substeps": 1000000,
                    "output.every": WINDOW,
                },
            )
            points[name].append((local_error(h), work(e, label)[0]))
        e.say(
            f"  {name:<20}" + "".join(f"{error:>9.1e} {cost:<7.0f}" for error, cost in points[name])
        )
    reach = {name: valid_until(points[name]) for name in NEWTONS}
    for kind, factor in (("full", 10), ("quasi-", 3)):
        a, b = (
            (f"{kind} Newton, TALS", f"{kind} Newton")
            if kind == "full"
            else ("quasi-Newton, TALS", "quasi-Newton")
        )
        e.say(
            f"  first order holds up to errors of {reach[a]:.1e} m/s, without TALS {reach[b]:.1e} "
            f"m/s: {reach[a] / reach[b]:.1f} times farther (P2: up to {factor})"
        )
        e.holds(f"{b}: TALS extends first order by {factor} or more", reach[a] >= factor * reach[b])

    def draw(a):
        for name, (_, _, colour, style) in NEWTONS.items():
            a.loglog(
                [p[0] for p in points[name]],
                [p[1] for p in points[name]],
                style,
                color=colour,
                label=name,
                linewidth=1,
            )
        x = np.array([1e-5, 1e-2])
        a.loglog(x, 0.6 / x, "k--", linewidth=0.8, label="first order")
        a.axvline(VS, color="gray", linewidth=0.8)

    e.plot(
        "work_precision",
        draw,
        "Stick-slip box, one second: work for an error (line: v_s)",
        "error of v over 25 ms [m/s]",
        "Newton iterations",
    )


def mug(e):
    e.head("a mug that is shaken and turns at 3 rad/s in its grip, two-way (P2 Fig. 8)")
    steps = (3e-3, 1.5e-3, 7.5e-4, 3.75e-4)
    names = {
        "place [m]": ("x", "y", "z"),
        "velocity [m/s]": ("vx", "vy", "vz"),
        "turning [rad/s]": ("wx", "wy", "wz"),
    }
    runs = {}
    for dt in steps + (2.34375e-5,):
        runs[dt] = e.run(
            f"mug_{dt:g}",
            os.path.join(HERE, "..", "shaken_mug.yaml"),
            {
                "contact.solver": "tamsi",
                "contact.softening": "linear",
                "time.step": dt,
                "time.end": 0.24,
                "rigid.mug.angular_velocity": "[3, 0, 0]",
                "output.every": 3e-3,
                "output.format": "none",
            },
        )
        if dt in steps:
            e.check(f"most parts of a step, dt {dt:g} s", work(e, f"mug_{dt:g}")[1], 1)
    fine = runs[2.34375e-5]
    errors = {}
    for name, columns in names.items():
        errors[name] = [
            np.sqrt(np.mean(sum((runs[dt]["mug." + c] - fine["mug." + c]) ** 2 for c in columns)))
            for dt in steps
        ]
        found = orders(steps, errors[name])
        e.say(
            f"  {name:<18}"
            + ", ".join(f"{x:.2e}" for x in errors[name])
            + "; orders "
            + ", ".join(f"{o:.2f}" for o in found)
        )
        e.check(f"mean order of {name}", np.mean(found), 1, atol=0.3)

    def draw(a):
        for name in names:
            a.loglog(steps, errors[name], "o-", linewidth=1, label=name)
        a.loglog(
            steps,
            errors["place [m]"][0] * np.array(steps) / steps[0],
            "k--",
            linewidth=0.8,
            label="first order",
        )

    e.plot("mug", draw, "A shaken mug that turns: error until 0.24 s", "step [s]", "rms error")


def main():
    e = Experiment("stick_slip", "R06, R07 by TAMSI")
    iterates(e)
    box(e)
    mug(e)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
