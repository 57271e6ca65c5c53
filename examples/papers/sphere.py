"""P0 XI-B, case R02: a falling sphere with horizontal speed lands, slides and rolls."""
import sys

import numpy as np
from experiment import COLOUR, MODELS, Experiment, orders, rms_error

MASS, R, DROP, U0, MU, K, G, T = 0.5, 0.025, 0.05, 2.0, 0.5, 1e7, 9.81, 0.2
STEPS = (1e-2, 2e-3, 4e-4)
TABLE = {"sap": (3.419e-3, 6.507e-4, 1.694e-4), "lagged": (2.718e-3, 5.578e-4, 1.023e-4), "similar": (3.238e-3, 5.867e-4, 1.163e-4)}
FIRST = {"lagged": 0.100, "similar": 0.098, "sap": 0.096}


def scene(model, dt):
    return f"""supple: 1
title: falling sphere {model} {dt:g}
time: {{step: {dt:g}, end: {T:g}}}
solver: {{tolerance: 1.0e-10}}
contact: {{model: {model}, stiction_tolerance: 1.0e-4, sigma: 1.0e-3, beta: 1, margin: 0.1}}
rigid:
  floor: {{shape: {{half_space: {{}}}}, fixed: true, contact: {{friction: {MU}, dissipation: 500, relaxation_time: 0, point: {{stiffness: {K:.1f}}}}}}}
  sphere:
    shape: {{sphere: {{radius: {R}}}}}
    mass: {MASS}
    pose: {{position: [0, 0, {R + DROP:.15g}]}}
    velocity: [{U0}, 0, 0]
    contact: {{friction: {MU}, dissipation: 500, relaxation_time: 1 ms, point: {{stiffness: 1.0e+30}}}}
output: {{format: none, pairs: [[floor, sphere]]}}
"""


def main():
    e = Experiment("sphere", "R02")
    reference = e.run("reference", scene("lagged", 4e-5))
    runs = {(m, dt): e.run(f"{m}_{dt:g}", scene(m, dt)) for m in MODELS for dt in STEPS}
    e.say("e_q against Lagged at dt = 4e-5 [m]")
    for m in MODELS:
        errors = [rms_error(runs[m, dt], reference, ("sphere.x", "sphere.z")) for dt in STEPS]
        for dt, error, expected in zip(STEPS, errors, TABLE[m]):
            e.check(f"e_q {m} dt {dt:g} s", error, expected, rtol=0.05)
        e.say(f"  orders {m}: " + ", ".join(f"{o:.2f}" for o in orders(STEPS, errors)))
        h = runs[m, 4e-4]
        e.check(f"final v_x {m} [m/s]", h["sphere.vx"][-1], 5 / 7 * U0, atol=1e-5)
        e.check(f"x(0.2 s) {m} [m]", h["sphere.x"][-1], 0.344, atol=1.5 * 4e-4)
        h = runs[m, 2e-3]
        first = h["time"][np.argmax(h["contact.floor.sphere.fz"] > 0)]
        e.check(f"first contact force {m} dt 2e-3 s at t [s]", first, FIRST[m], atol=2.1e-3)
    e.plot("velocity", lambda a: [a.plot(runs[m, 2e-3]["time"], runs[m, 2e-3]["sphere.vx"], color=COLOUR[m], label=m) for m in MODELS],
           "Falling sphere, dt = 2 ms", "time [s]", "v_x [m/s]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
