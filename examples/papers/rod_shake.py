"""P0 XII-B, case G02: a hand shakes a rod on a circle; time to failure against frequency for four
friction models, two steps and two dissipations: examples/rod_shake.yaml.

Failure is the last moment at which a finger touches the rod.  P0 gives density, circle, steps and
dissipation; rod, grip and friction are chosen, so that trends are compared.  G02r: a rod on a ball
joint that goes around has a cone angle in closed form."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from experiment import COLOUR, Experiment, load_csv, plt

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rod_shake.yaml")
MODELS = ("lagged", "similar", "sap", "coupled")
COLOUR = {**COLOUR, "coupled": "k"}
RADIUS, END = 0.03, 9.0  # of the circle [m], of a run [s]
FREQUENCIES = (1.4, 1.5, 1.6, 1.8, 2.2)  # that fall [Hz]
STABLE = (0.8, 1.1, 1.3)  # that stay [Hz]
FINE, COARSE = 2e-4, 1e-2  # steps of P0 [s]
# Ball-jointed rod: steady cone angle [deg] by frequency [Hz]
CONES = {0.6: 3.046555, 0.8: 6.524051, 1.0: 13.472954}
CONE = """supple: 1
title: A rod on a ball joint goes around
time: {step: 1 ms, end: 3 s}
contact: {pairs: [{bodies: [pivot, rod], enabled: false}]}
rigid:
  pivot:
    shape: {sphere: {radius: 5 mm}}
    motion: {sine: {amplitude: [0, 30 mm, 0], cosine: [30 mm, 0, 0], period: %.9g}}
  rod:
    shape: {cylinder: {radius: 10 mm, length: 200 mm}}
    density: 8000
    pose: {position: [%.9g, 0, %.9g], rpy: [0, %.9g, 0]}
    velocity: [0, %.9g, 0]
    angular_velocity: [0, 0, %.9g]
constraints: {ball: {type: ball, bodies: [pivot, rod], point: [0, 0, 90 mm]}}
"""


def tilt(h):
    """Angle [deg] between the rod and the vertical."""
    return np.degrees(2 * np.arcsin(np.minimum(np.hypot(h["rod.qx"], h["rod.qy"]), 1)))


def shake(e, f, dt, model="lagged", d=0.0, shift=0.0, end=END):
    """Time to failure [s], infinite where the rod stays, and how far it has slid by then [m]."""
    folder = os.path.join(e.folder, f"{model}_{f:g}Hz_{dt:g}s_d{d:g}_{1e6 * shift:.0f}um")
    settings = {
        "time.step": dt,
        "time.end": end,
        "contact.model": model,
        "contact.defaults.dissipation": d,
        "robots.hand.motion.sine.period": 1 / f,
        "rigid.rod.velocity": f"[0, {2 * np.pi * f * RADIUS:.12g}, 0]",
        "rigid.rod.pose.position.0": RADIUS + shift,
        "output.every": max(dt, 1e-3),
        "output.history_every": max(dt, 1e-3) if dt > FINE else dt,
        "output.format": "none",
    }
    command = [os.environ.get("SUPPLE", "build/release/supple"), "run", SCENE, "-q", "-o", folder]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, stderr=subprocess.DEVNULL)  # a FAIL verdict of large steps is code 1
    h = load_csv(os.path.join(folder, "history.csv"))
    touches = np.hypot(h["contact.hand/left_finger.rod.fy"], h["contact.hand/right_finger.rod.fy"])
    last = np.flatnonzero(touches)[-1]
    slid = np.linalg.norm([h[f"probe.hand.{c}"] - h[f"rod.{c}"] for c in "xyz"], axis=0) - 0.09
    t = h["time"]
    return (t[last], slid[last]) if last < len(t) - 1 else (np.inf, slid[-1])


def check_cones(e):
    e.head("G02r: cone of a rod on a ball joint, start on the closed form, step 1 ms")
    for f, angle in CONES.items():
        w, a = 2 * np.pi * f, np.radians(angle)
        x = RADIUS + 0.09 * np.sin(a)
        scene = CONE % (1 / f, x, -0.09 * np.cos(a), -a, w * x, w)
        found = tilt(e.run(f"cone_{f:g}Hz", scene, {"output.format": "none"}))
        e.check(f"cone angle at {f:g} Hz, mean of 3 s [deg]", np.mean(found), angle, rtol=2e-3)
        e.check("its spread [deg]", np.std(found), 0, atol=0.05 * angle)


def relative(a, b):
    return 100 * (a / b - 1)


def main():
    e = Experiment("rod_shake", "P0 XII-B, G02")
    check_cones(e)
    jobs = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for f in STABLE:
            for d in (0, 50):
                jobs["stays", f, d] = pool.submit(shake, e, f, 1e-3, "lagged", d)
        for m in MODELS:
            for d in (0, 50) if m != "sap" else (0,):  # SAP dissipates by relaxation_time
                for dt in (FINE, COARSE):
                    for f in FREQUENCIES:
                        jobs[m, d, dt, f] = pool.submit(shake, e, f, dt, m, d)
        for m, d in (("lagged", 0), ("similar", 0), ("lagged", 50)):
            for dt in (2e-3, 8e-4, 4e-4, 1e-4):
                jobs[m, d, dt, 1.6] = pool.submit(shake, e, 1.6, dt, m, d, end=5)
        for f in FREQUENCIES:
            for shift in (-2e-4, -1e-4, 1e-4, 2e-4):
                jobs["moved", f, shift] = pool.submit(shake, e, f, 1e-3, shift=shift)
        found = {key: job.result() for key, job in jobs.items()}
    time = {key: value[0] for key, value in found.items()}

    e.table("stable", f"Below 1.4 Hz, {END:g} s, Lagged, 1 ms", ["f [Hz]", "d [s/m]", "slid [mm]"],
            [[k[1], float(k[2]), 1e3 * v[1]] for k, v in found.items() if k[0] == "stays"])
    rows = [[f, m, time[m, 0, FINE, f], time.get((m, 50, FINE, f)),
             relative(time[m, 0, FINE, f], time["lagged", 0, FINE, f]),
             relative(time[m, 0, COARSE, f], time["lagged", 0, FINE, f]),
             relative(time[m, 50, COARSE, f], time["lagged", 50, FINE, f]) if m != "sap" else None]
            for f in FREQUENCIES for m in MODELS]
    e.table("failure", "Time to failure [s] at 0.2 ms, errors [%] against Lagged at 0.2 ms",
            ["f [Hz]", "model", "d 0", "d 50", "0.2 ms, d 0", "10 ms, d 0", "10 ms, d 50"], rows)
    steps = sorted({k[2] for k in time if len(k) == 4 and k[3] == 1.6})
    e.table("steps", "Refinement: 1.6 Hz, time to failure [s]; without dissipation no limit: "
            "the step alone damps the contacts",
            ["step [ms]", "lagged, d 0", "similar, d 0", "difference [%]", "lagged, d 50"],
            [[1e3 * dt, time["lagged", 0, dt, 1.6], time["similar", 0, dt, 1.6],
              relative(time["similar", 0, dt, 1.6], time["lagged", 0, dt, 1.6]),
              time["lagged", 50, dt, 1.6]] for dt in steps])
    moved = {f: [time["moved", f, s] for s in (-2e-4, -1e-4, 1e-4, 2e-4)] for f in FREQUENCIES}
    e.table("moved", "Rod 0.1 and 0.2 mm beside its place: Lagged, 1 ms, d 0",
            ["f [Hz]", "least [s]", "most [s]"], [[f, min(t), max(t)] for f, t in moved.items()])

    def worst(m, d, dt):
        return max((relative(time[m, d, dt, f], time["lagged", d, FINE, f]) for f in FREQUENCIES),
                   key=abs)

    gain = [relative(time["lagged", 50, FINE, f], time["lagged", 0, FINE, f]) for f in FREQUENCIES]
    e.table("papers", "The paper's numbers beside ours", ["quantity", "P0", "here"], [
        ["stable below [Hz]", "1.4", "1.3 to 1.4"],
        ["d 50 for 0, Lagged, 0.2 ms [%]", "up to 10",
         f"{min(gain):.1f} to {max(gain):.1f}"],
        ["Similar from Lagged, 0.2 ms, d 0 [%]", "< 0.5", f"{worst('similar', 0, FINE):+.2f}"],
        ["Similar from Lagged, 0.2 ms, d 50 [%]", "30", f"{worst('similar', 50, FINE):+.1f}"],
        ["Lagged, 10 ms, d 0 [%]", "to -50", f"{worst('lagged', 0, COARSE):+.1f}"],
        ["Similar, 10 ms, d 0 [%]", "less negative", f"{worst('similar', 0, COARSE):+.1f}"],
        ["Lagged, 10 ms, d 50 [%]", "as d 0", f"{worst('lagged', 50, COARSE):+.1f}"],
        ["Similar, 10 ms, d 50 [%]", "smaller", f"{worst('similar', 50, COARSE):+.1f}"],
    ])
    e.head("Trends")
    e.holds("the rod stays below 1.4 Hz", all(time[k] == np.inf for k in time if k[0] == "stays"))
    e.holds("it falls from 1.4 Hz on, sooner at each frequency", np.all(
        np.diff([time["lagged", 0, FINE, f] for f in FREQUENCIES]) < 0))
    e.holds("Similar is within 0.5 % of Lagged at 0.2 ms, d 0",
            abs(worst("similar", 0, FINE)) < 0.5,
            f"{worst('similar', 0, FINE):+.2f} %: 1 um of gliding, mu dt v, moves a fall at 1.6 Hz "
            "by 0.16 %; the difference goes with the step, 2.0 % at 0.8 ms, 0.5 % at 0.1 ms")
    e.holds("errors at 10 ms are below 50 %", max(
        abs(worst(m, d, COARSE)) for m in ("lagged", "similar") for d in (0, 50)) < 50)
    e.holds("Similar falls later than Lagged at 10 ms, d 0", all(
        time["similar", 0, COARSE, f] >= time["lagged", 0, COARSE, f] for f in FREQUENCIES))

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for m in MODELS:
        for d, style in ((0, "o-"), (50, "s--")):
            if (m, d, FINE, FREQUENCIES[0]) not in time:
                continue
            label = f"{m}, d = {d} s/m"
            axes[0].plot(FREQUENCIES, [time[m, d, FINE, f] for f in FREQUENCIES], style,
                         color=COLOUR[m], label=label, markersize=4, linewidth=1)
            axes[1].plot(FREQUENCIES, [relative(time[m, d, COARSE, f], time["lagged", d, FINE, f])
                                       for f in FREQUENCIES], style, color=COLOUR[m], label=label,
                         markersize=4, linewidth=1)
    axes[0].axvline(1.39706, color="k", linewidth=0.8, linestyle=":")
    axes[0].set(title="step 0.2 ms; dotted: compound pendulum", ylabel="time to failure [s]")
    axes[1].axhline(0, color="k", linewidth=0.8)
    axes[1].set(title="step 10 ms, against Lagged at 0.2 ms", ylabel="error [%]")
    for a in axes:
        a.set(xlabel="frequency [Hz]")
        a.grid(alpha=0.3)
    axes[0].legend(fontsize="small")
    figure.savefig(os.path.join(e.folder, "failure.png"), dpi=110)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
