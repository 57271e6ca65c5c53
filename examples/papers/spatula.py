"""P1 V-C reduced, case G03r: a spatula between two pads slips whenever the grip loosens:
examples/spatula.yaml."""
import os
import sys

import numpy as np
from experiment import Experiment, plt

SCENE = "examples/spatula.yaml"
LOOSE = (
    (1, -6.23278),
    (2, -12.69107),
    (3, -18.81508),
    (4, -24.43656),
)  # end of a loose phase [s], pitch [deg]
HELD = ((1.9, -6.61862), (2.9, -13.05723), (3.9, -19.14197))
STEP = "of first order in the step: 0.23, 0.17, 0.06 degrees at 1.9 s with 2, 1, 0.5 ms"
WEIGHT, MU, RADIUS = 0.068 * 9.81, 0.5, 13.476233e-3


def pitch(h):
    return -np.degrees(2 * np.arctan2(h["spatula.qy"], h["spatula.qw"]))


def force(h, axis):
    return h[f"contact.grip/left_pad.spatula.{axis}"] + h[f"contact.grip/right_pad.spatula.{axis}"]


def draw(path, h):
    figure, axes = plt.subplots(
        2, 1, figsize=(7, 4.6), sharex=True, height_ratios=(1, 2), layout="constrained"
    )
    axes[0].plot(h["time"][1:], h["contact.grip/left_pad.spatula.fy"][1:], color="tab:orange")
    axes[0].set(ylabel="force of a pad [N]", title="A spatula slips whenever the grip loosens")
    axes[1].plot(h["time"], pitch(h), label="Supple, 8 x 6 cells a pad, dt = 1 ms")
    axes[1].plot(
        *zip(*LOOSE + HELD), "k+", label="uniform pressure, ordinary differential equation"
    )
    axes[1].set(xlabel="time [s]", ylabel="pitch [deg]")
    axes[1].legend()
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main():
    e = Experiment("spatula", "G03r")
    for dt in (2e-3, 1e-3):
        h = e.run(
            f"dt_{dt:g}", SCENE, {"time.step": dt, "output.every": dt, "output.format": "none"}
        )
        e.head(
            f"pitch [deg] when a loose phase ends, and when the next firm one does, dt = {dt:g} s"
        )
        for t, expected in LOOSE + HELD:
            e.check(
                f"t = {t:g} s",
                np.interp(t, h["time"], pitch(h)),
                expected,
                rtol=0.03,
                reason=STEP if dt > 1e-3 else "",
            )
    e.head("friction, dt = 0.001 s")
    at = np.argmin(np.abs(h["time"] - 0.8))
    e.check("held: both pads carry the weight [N]", force(h, "fz")[at], WEIGHT, atol=1e-6)
    at = np.argmin(np.abs(h["time"] - 0.95))
    e.check("loose: force of a pad [N]", h["contact.grip/left_pad.spatula.fy"][at], 1, atol=1e-6)
    # about the pads' centre, x = z = 0, from that about the spatula's centre of mass
    torque = (
        force(h, "ty")[at]
        + h["spatula.z"][at] * force(h, "fx")[at]
        - h["spatula.x"][at] * force(h, "fz")[at]
    )
    e.say(
        f"  loose: torque about the pads' centre {torque:.6g} N m; spin alone 2 mu N r = "
        f"{2 * MU * RADIUS:.6g} N m: it slides, too"
    )
    draw(os.path.join(e.folder, "spatula.png"), h)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
