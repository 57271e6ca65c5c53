"""P0 XII-C reduced, case G04r: torques that raise and lower the load of a screw, and what holds it
besides: examples/screw_nut.yaml."""
import sys

import numpy as np
from experiment import COLOUR, MODELS, Experiment

SCENE = "examples/screw_nut.yaml"
RADIUS, LOAD, MASS, MU, SLOPE, STEP = 4e-3, 10.0, 0.1, 0.0835563, np.radians(4.549865), 1e-3
RAISE, LOWER = 6.569031e-3, 1.581037e-4
STIFFNESS = 4 * 5e5  # four corners, both sides 1e6 N/m in series


def main():
    e = Experiment("screw_nut", "G04r")

    def run(model, force, label):
        return e.run(
            f"{model}_{label}",
            SCENE,
            {
                "contact.model": model,
                "contact.friction_sweeps": 2 if model == "lagged" else 1,
                "loads.turn.force": f"[{force:.9g}, 0, 0]",
                "output.format": "none",
                "output.every": STEP,
            },
        )

    def threshold(model, low, high):
        """Least horizontal force at which it goes farther than creep does, 5 um."""
        for _ in range(11):
            middle = 0.5 * (low + high)
            low, high = (
                (low, middle)
                if abs(run(model, middle, "search")["nut.x"][-1]) > 5e-6
                else (middle, high)
            )
        return high

    for model in MODELS:
        e.head(f"{model}: torque [N m] at which it begins to turn")
        e.check("raises", RADIUS * threshold(model, 1.5, 1.8), RAISE, rtol=0.01)
        e.check("lowers", -RADIUS * threshold(model, 0, -0.1), LOWER, rtol=0.01)

    runs = {m: run(m, 1.1 * RAISE / RADIUS, "turn") for m in MODELS}
    excess = (
        0.1 * RAISE / RADIUS * (np.cos(SLOPE) - MU * np.sin(SLOPE))
    )  # along the slope, beyond friction [N]
    normal = LOAD * np.cos(SLOPE) + 1.1 * RAISE / RADIUS * np.sin(SLOPE)
    upper = 0.5 * excess / MU  # what the upper flank must press for a balance [N]
    e.head("10 % more than T_raise, after 0.1 s")
    for m in MODELS:
        h = runs[m]
        speed, press = np.hypot(h["nut.vx"], h["nut.vz"])[-1], -h["contact.upper_flank.nut.fz"][-1]
        if m == "lagged":
            e.check("lagged: speed of Coulomb's nut [m/s]", speed, excess / MASS * 0.1, rtol=0.01)
            e.check("lagged: upper flank [N]", press, 0, atol=1e-9)
        if m == "similar":  # a gap of mu dt |v_t| on both flanks, which are no farther apart
            e.check(
                "similar: speed at which it is held [m/s]",
                speed,
                (normal + 2 * upper) / (2 * STIFFNESS * MU * STEP),
                rtol=0.01,
            )
            e.check(
                "similar: upper flank [N]",
                press,
                upper * (np.cos(SLOPE) + MU * np.sin(SLOPE)),
                rtol=0.01,
            )
        if m == "sap":
            e.say(f"  sap is held too, at {speed:.4g} m/s: its gap is mu (dt + tau) |v_t|")
    e.plot(
        "speed",
        lambda a: [
            a.plot(1e3 * runs[m]["time"], 1e3 * runs[m]["nut.vx"], color=COLOUR[m], label=m)
            for m in MODELS
        ],
        "A nut without backlash, 10 % more torque than raises it, dt = 1 ms",
        "time [ms]",
        "v_x [mm/s]",
    )
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
