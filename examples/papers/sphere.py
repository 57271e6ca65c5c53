"""P0 XI-B, case R02: a falling sphere with horizontal speed lands, slides and rolls:
examples/falling_sphere.yaml."""
import sys

import numpy as np
from experiment import COLOUR, MODELS, Experiment, orders, rms_error

SCENE = "examples/falling_sphere.yaml"
R, U0 = 0.025, 2.0
STEPS = (1e-2, 2e-3, 4e-4)
TABLE = {
    "sap": (3.419e-3, 6.507e-4, 1.694e-4),
    "lagged": (2.718e-3, 5.578e-4, 1.023e-4),
    "similar": (3.238e-3, 5.867e-4, 1.163e-4),
}
ORDERS = {"sap": (1.03, 0.84), "lagged": (0.98, 1.05), "similar": (1.06, 1.01)}
FIRST = {"lagged": 0.100, "similar": 0.098, "sap": 0.096}
IMPACT = (
    "the trace's solver stops 1e-5 of phi = -6.7319 nm before the root (test "
    "falling_sphere.the_impact_is_solved_to_round_off)"
)


def main():
    e = Experiment("sphere", "R02")

    def run(model, dt):
        return e.run(f"{model}_{dt:g}", SCENE, {"contact.model": model, "time.step": dt})

    reference = run("lagged", 4e-5)
    runs = {(m, dt): run(m, dt) for m in MODELS for dt in STEPS}
    e.head("e_q [m] of (x, z) against Lagged at dt = 4e-5 s, and its order between steps")
    for m in MODELS:
        errors = [rms_error(runs[m, dt], reference, ("sphere.x", "sphere.z")) for dt in STEPS]
        for dt, error, expected in zip(STEPS, errors, TABLE[m]):
            e.check(f"{m}, dt {dt:g} s", error, expected, rtol=0.001)
        for order, expected in zip(orders(STEPS, errors), ORDERS[m]):
            e.check(f"{m}, order", order, expected, atol=0.006)
    e.head("the end: it rolls")
    for m in MODELS:
        for dt in STEPS:
            h = runs[m, dt]
            e.check(f"{m}, dt {dt:g} s, v_x [m/s]", h["sphere.vx"][-1], 5 / 7 * U0, atol=1e-8)
            e.check(
                f"{m}, dt {dt:g} s, R omega [m/s]", R * h["sphere.wy"][-1], 5 / 7 * U0, atol=1e-8
            )
            e.check(f"{m}, dt {dt:g} s, x(0.2 s) [m]", h["sphere.x"][-1], 0.344, atol=1.5 * dt)
    e.head("end [s] of the first step with contact force, dt = 0.002 s")
    for m in MODELS:
        h = runs[m, 2e-3]
        e.check(m, h["time"][np.argmax(h["contact.floor.sphere.fz"] > 1e-3)], FIRST[m], atol=1e-9)

    e.say("\nstep by step against the traces: largest differences over 0.2 s")
    e.say(
        f"  {'model, dt [s]':<34}"
        + "".join(
            f"{c:>10}"
            for c in (
                "x [m]",
                "z [m]",
                "angle",
                "vx [m/s]",
                "vz [m/s]",
                "w [rad/s]",
                "F_t [N]",
                "F_n [N]",
            )
        )
    )
    for m in MODELS:
        for dt in (1e-2, 2e-3):
            h = runs[m, dt]
            angle = 2 * np.unwrap(np.arctan2(h["sphere.qy"], h["sphere.qw"]), period=np.pi)
            e.trace(
                f"{m}, {dt:g}",
                h,
                f"R02_{m}_dt{dt:g}.csv",
                {
                    "x": "sphere.x",
                    "z": h["sphere.z"] - R,
                    "theta": angle,
                    "vx": "sphere.vx",
                    "vz": "sphere.vz",
                    "omega": "sphere.wy",
                    "ft": "contact.floor.sphere.fx",
                    "fn": "contact.floor.sphere.fz",
                },
                reason=IMPACT if m == "lagged" else "",
            )
    e.plot(
        "velocity",
        lambda a: [
            a.plot(runs[m, 2e-3]["time"], runs[m, 2e-3]["sphere.vx"], color=COLOUR[m], label=m)
            for m in MODELS
        ],
        "Falling sphere, dt = 2 ms",
        "time [s]",
        "v_x [m/s]",
    )
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
