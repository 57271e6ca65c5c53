"""P2 VI-A, case R07: a parallel jaw shakes a mug; slip against the exact motion in one dimension,
all models."""
import os
import sys

import numpy as np
from experiment import COLOUR, MODELS, Experiment, orders

A, W, BRAKE = (
    0.15,
    4 * np.pi,
    20.0,
)  # hand A sin(W t); friction brakes or drives the mug with 2 mu N/m
BEGIN, END, SLIP = 0.080002268, 0.216538044, 0.01689566105
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)


def exact(t):
    """Mug minus hand: from BEGIN to END the mug is slower than the hand, half a period later
    faster."""
    t = np.asarray(t, dtype=float)
    x = np.zeros_like(t)
    for half in range(int(np.max(t) / 0.25) + 1):
        sign, t0 = (1 - 2 * (half % 2)), BEGIN
        t1 = np.clip(t - 0.25 * half, BEGIN, END)
        x += sign * (
            A * W * np.cos(W * t0) * (t1 - t0)
            - BRAKE * (t1 - t0) ** 2 / 2
            - A * (np.sin(W * t1) - np.sin(W * t0))
        )
    return x


def run(e, label, model, dt, slip_speed):
    """Columns of a run, with the way of the mug against the hand as `slip`."""
    h = e.run(
        label,
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shaken_mug.yaml"),
        {
            "contact.model": model,
            "contact.stiction_tolerance": slip_speed,
            "time.step": dt,
            "output.every": dt,
            "output.format": "none",
        },
    )
    h["slip"] = h["mug.z"] - h["probe.hand.z"]
    return h


def between(h, t0, t1):
    return np.interp(t1, h["time"], h["slip"]) - np.interp(t0, h["time"], h["slip"])


def main():
    e = Experiment("shaken_mug", "R07")
    runs = {}
    for m in MODELS:
        e.say(f"{m}, v_s = 1e-6 m/s")
        errors = []
        for dt in STEPS:
            h = runs[m, dt] = run(e, f"{m}_{dt:g}", m, dt, 1e-6)
            late = h["time"] > 0.06
            e.check(f"slip forth, dt {dt:g} s [m]", between(h, 0.06, 0.31), SLIP, rtol=0.03)
            e.check(f"slip back, dt {dt:g} s [m]", between(h, 0.31, 0.56), -SLIP, rtol=0.03)
            e.check(
                f"drift in a period, dt {dt:g} s [m]", between(h, 0.81, 1.31), 0, atol=0.01 * SLIP
            )
            grip = np.concatenate(
                [h[f"contact.gripper/{side}_finger.mug.fx"][late] for side in ("left", "right")]
            )
            e.check(
                f"largest difference of a finger's force from 10 N, dt {dt:g} s [N]",
                np.max(np.abs(np.abs(grip) - 10)),
                0,
                atol=0.1,
            )
            off = np.abs(h["slip"] - np.interp(0.06, h["time"], h["slip"]) - exact(h["time"]))
            errors.append(np.trapz(off[late], h["time"][late]))
        order = orders(STEPS, errors)
        e.say(
            "  int |slip - exact| dt [m s]: "
            + ", ".join(f"{x:.3e}" for x in errors)
            + "; orders "
            + ", ".join(f"{o:.2f}" for o in order)
            + " (at the last v_s and gliding show)"
        )
        e.check("least order from 4 to 1 ms is not below 1", min(1, order[0], order[1]), 1)
    e.say("v_s = 1e-4 m/s, dt 1 ms, as the example is")
    shipped = {m: run(e, f"{m}_shipped", m, 1e-3, 1e-4) for m in MODELS}
    for m in MODELS:
        e.check(f"slip forth, {m} [m]", between(shipped[m], 0.06, 0.31), SLIP, rtol=0.03)
    t = np.linspace(0, 1.5, 1501)

    def draw(a):
        a.plot(t, 1e3 * exact(t), color="k", linewidth=3, alpha=0.3, label="exact, one dimension")
        for m in MODELS:
            a.plot(
                shipped[m]["time"], 1e3 * shipped[m]["slip"], color=COLOUR[m], linewidth=1, label=m
            )

    e.plot(
        "slip",
        draw,
        "A shaken mug slips in its grip, dt = 1 ms, v_s = 0.1 mm/s",
        "time [s]",
        "mug minus hand [mm]",
    )

    def draw_error(a):
        for m in MODELS:
            for dt, style in ((2e-3, ":"), (1e-3, "-")):
                h = runs[m, dt]
                a.plot(
                    h["time"],
                    1e6 * (h["slip"] - exact(h["time"])),
                    style,
                    color=COLOUR[m],
                    linewidth=1,
                    label=f"{m} {1e3 * dt:g} ms",
                )

    e.plot("error", draw_error, "Slip off the exact one, v_s = 1e-6 m/s", "time [s]", "error [um]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
