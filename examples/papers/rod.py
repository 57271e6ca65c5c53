"""P0 XI-C, case R03: a sliding rod jams into the ground and jumps (Painleve), impact without
collision.

Reference numbers: the compliant, regularised ODE integrated by Radau IIA to 1e-10, and an
independent program of one contact."""
import sys

import numpy as np
from experiment import COLOUR, MODELS, Experiment, orders

SCENE = "examples/sliding_rod.yaml"
MU, U0, HALF, HEIGHT, T, V_S = 2.3, 10.0, 0.25, 0.125, 0.032, 1e-4
LINE = {
    "sap": "-",
    "lagged": "-",
    "similar": "--",
}  # SAP and Similar hide each other without dissipation
STEPS = (6.4e-4, 1.6e-4, 4e-5, 1e-5)
FINE, EVERY = 1e-7, 1e-6  # every tenth step of the fine runs is written
FIRST_ORDER = (
    "the step damps the oscillation before the impact, which shifts it: first order, see the limit"
)
FLOOR = "rigid.floor.contact."
# e_q by model and whether the start is the gliding one, from the independent program
TABLES = {
    0: {
        ("lagged", True): (4.980e-2, 3.085e-2, 1.248e-2, 3.110e-3),
        ("sap", True): (5.122e-2, 3.402e-2, 1.892e-2, 6.137e-3),
        ("similar", True): (5.122e-2, 3.402e-2, 1.892e-2, 6.137e-3),
        ("sap", False): (2.172e-1, 2.051e-1, 1.663e-1, 7.315e-2),
        ("similar", False): (2.179e-1, 2.052e-1, 1.664e-1, 7.315e-2),
    },
    0.2: {
        ("lagged", True): (4.992e-2, 3.098e-2, 1.259e-2, 3.159e-3),
        ("sap", True): (5.141e-2, 3.441e-2, 2.018e-2, 8.496e-3),
        ("similar", True): (5.133e-2, 3.412e-2, 1.884e-2, 5.307e-3),
    },
}
# by variant and dissipation: time and size of the peak of N, time in stiction, lift-off, part of
# the kinetic energy that is lost
B = {
    "rigid.rod.shape": "{capsule: {radius: 5 mm, length: 0.5}}",
    "rigid.rod.inertia": "[6.251875e-3, 6.251875e-3, 3.75e-6]",
    "time.end": 0.018,
}
ODE = {
    ("A", 0): (0.0257638, 871.27, 2.118e-4, 0.0259518, 0.7988),
    ("A", 0.2): (0.0257320, 870.31, 2.174e-4, 0.0259426, 0.7991),
    ("B", 0): (0.0141006, 800.69, 2.072e-4, 0.0142872, 0.7907),
    ("B", 0.2): (0.0140780, 801.99, 2.124e-4, 0.0142854, 0.7909),
}


def run(e, model, dt, d=0.0, glides=True, variant="A", every=0.0):
    """A run with dissipation d and the relaxation time that P0 pairs with it; SAP and Similar start
    where they glide."""
    tau = 4e-6 if d > 0 else 0.0
    offset = MU * U0 * {"sap": dt + tau, "similar": dt, "lagged": 0}[model] if glides else 0.0
    radius = 0.005 if variant == "B" else 0.0
    settings = {
        "contact.model": model,
        "time.step": dt,
        FLOOR + "dissipation": d,
        FLOOR + "relaxation_time": tau,
        "rigid.rod.pose.position.2": HEIGHT + radius + offset,
        "output.every": every,
    }
    settings.update(B if variant == "B" else {})
    h = e.run(f"{variant}_{model}_{dt:g}_d{d:g}{'' if glides else '_touching'}", SCENE, settings)
    h["phi"] = 2 * np.arctan2(h["rod.qy"], h["rod.qw"]) - np.pi / 2
    h["N"] = h["contact.floor.rod.fz"]
    h["v_t"] = h["rod.vx"] - (HALF * np.sin(h["phi"]) + radius) * h["rod.wy"]
    return h


def error(h, reference):
    """e_q over x, z, phi by the catalogue's sum over the steps' ends."""
    t = h["time"]
    square = sum(
        (h[n] - np.interp(t, reference["time"], reference[n])) ** 2
        for n in ("rod.x", "rod.z", "phi")
    )
    return np.sqrt(np.sum(square[1:] * np.diff(t)) / t[-1])


def check_errors(e, d, reference, table):
    """Rows of e_q; returns {(model, glides): errors}."""
    errors = {}
    for (model, glides), expected in table.items():
        row = errors[model, glides] = [
            error(run(e, model, dt, d, glides), reference) for dt in STEPS
        ]
        start = "" if model == "lagged" else ", starts gliding" if glides else ", starts at phi = 0"
        for dt, value, right in zip(STEPS, row, expected):
            e.check(f"e_q {model} dt {dt:g} s{start}", value, right, rtol=5e-3)
        e.say(f"  orders {model}{start}: " + ", ".join(f"{o:.2f}" for o in orders(STEPS, row)))
    return errors


def impact(h):
    """Time and size of the peak, time in stiction, lift-off, part of the kinetic energy that is
    lost."""
    i = h["N"].argmax()
    off = i + np.argmax(h["N"][i:] <= 0)
    stuck = (abs(h["v_t"]) < V_S) & (h["N"] > 0)
    return np.array(
        [
            h["time"][i],
            h["N"][i],
            np.sum(stuck) * EVERY,
            h["time"][off],
            1 - h["energy.kinetic"][off + 10] / 15,
        ]
    )


def check_impact(e, what, h, coarse, expected):
    """Against the ODE: the run at FINE, and the limit of it and the one at twice the step."""
    fine = impact(h)
    late = {"reason": FIRST_ORDER}
    for label, value, why in (
        (what, fine, late),
        (what + ", limit", 2 * fine - impact(coarse), {}),
    ):
        e.check(f"{label}: peak of N at [s]", value[0], expected[0], atol=1e-5, **why)
        e.check(f"{label}: peak of N [N]", value[1], expected[1], rtol=0.02)
        e.check(f"{label}: time in stiction [s]", value[2], expected[2], atol=3e-5)
        e.check(f"{label}: lift-off at [s]", value[3], expected[3], atol=1e-5, **why)
        e.check(
            f"{label}: part of the kinetic energy that is lost", value[4], expected[4], atol=1e-3
        )


def draw_histories(runs, name, bottom):
    """Curve of each model, and the impact again in an inset."""

    def draw(axes):
        inset = axes.inset_axes([0.08, bottom, 0.55, 0.45])
        for m in MODELS:
            for a in (axes, inset):
                a.plot(
                    1e3 * runs[m]["time"], runs[m][name], LINE[m], color=COLOUR[m], label=m, lw=1.2
                )
        inset.set_xlim(24.8, 26.6)
        inset.grid(alpha=0.3)
        inset.tick_params(labelsize=7)

    return draw


def draw_errors(errors):
    def draw(axes):
        for (m, glides), row in errors.items():
            axes.loglog(
                STEPS,
                row,
                ("o" + LINE[m]) if glides else "x" + LINE[m],
                color=COLOUR[m],
                label=m + ("" if glides else ", starts at phi = 0"),
            )
        axes.loglog(STEPS, 3e2 * np.array(STEPS), "k--", lw=1, label="first order")

    return draw


def main():
    e = Experiment("rod", "R03")
    errors, fine = {}, {}
    for d, table in TABLES.items():
        reference = run(e, "lagged", 1e-6, d, every=1e-5)
        e.say(f"e_q over x, z, phi against Lagged at dt = 1e-6 s, d = {d:g} s/m [m, rad]")
        errors[d] = check_errors(e, d, reference, table)
    for d in TABLES:
        e.say(f"dt = 1e-7 s, d = {d:g} s/m, against the ODE")
        fine[d] = {m: run(e, m, FINE, d, every=EVERY) for m in MODELS}
        check_impact(
            e, "lagged", fine[d]["lagged"], run(e, "lagged", 2 * FINE, d, every=EVERY), ODE["A", d]
        )
        t = {m: fine[d][m]["time"][fine[d][m]["N"].argmax()] for m in MODELS}
        e.say(
            f"  peak at {t['sap']:.6f} s (SAP), {t['similar']:.6f} s (Similar), {t['lagged']:.6f} "
            f"s (Lagged)"
        )
        if d == 0:
            e.check(
                "SAP and Similar are one: peak times apart by [s]",
                t["sap"] - t["similar"],
                0,
                atol=1e-6,
            )
        else:
            e.check(
                "Similar is early, SAP is late (1: yes)", t["similar"] < t["lagged"] < t["sap"], 1
            )
        e.say(f"variant B (hemispherical tip), dt = 1e-7 s, d = {d:g} s/m, against the ODE")
        check_impact(
            e,
            "B lagged",
            *(run(e, "lagged", dt, d, variant="B", every=EVERY) for dt in (FINE, 2 * FINE)),
            ODE["B", d],
        )
    for d in TABLES:
        title = f"Sliding rod, d = {d:g} s/m, dt = 0.1 us"
        e.plot(
            f"force_d{d:g}",
            draw_histories(fine[d], "N", 0.45),
            title,
            "time [ms]",
            "normal force [N]",
        )
        e.plot(
            f"slip_d{d:g}",
            draw_histories(fine[d], "v_t", 0.1),
            title,
            "time [ms]",
            "v_t of the tip [m/s]",
        )
        e.plot(
            f"errors_d{d:g}",
            draw_errors(errors[d]),
            f"Sliding rod, d = {d:g} s/m",
            "dt [s]",
            "e_q [m, rad]",
        )
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
