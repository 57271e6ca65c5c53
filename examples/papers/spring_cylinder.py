"""P3 VI-B, case R05: a cylinder on a spring slides (mu = 0) or rolls by friction (mu = 1): time
schemes and what friction costs.

Rolling, friction is f = k_s x/3 and regularised friction creeps at R_t dt f: SAP with R_t = sigma w
loses energy at the rate sigma w dt k_s/9.  w is our estimate of a contact's inverse mass (THEORY
5.4), |W_tt|_F/sqrt 2 with W = J A^-1 J^T.  `contact.delassus` diagonal and full agree here: the
mass matrix of a free body in its principal axes is diagonal.  One point below the axis has w = 3/m;
the two ends of a cylinder's lowest line have their own and share the force, R_t counts half."""
import sys

import numpy as np
from experiment import MODELS, Experiment, orders

SCENE = "examples/spring_cylinder.yaml"
M, R, LENGTH, KS, K, X0, DT, T, G = 0.5, 0.05, 0.1, 100.0, 1e4, 0.1, 0.02, 5.0, 9.81
E0 = KS * X0**2 / 2
MASS = {0: M, 1: 1.5 * M}  # by mu: what the spring moves
STEPS = (0.04, 0.02, 0.01, 0.005, 0.0025)
SCHEMES = {
    "symplectic Euler": "theta, theta: 0, theta_stiff: 0, theta_vq: 1",
    "implicit Euler": "implicit_euler",
    "midpoint": "midpoint",
}
LINE = {"symplectic Euler": "-", "implicit Euler": ":", "midpoint": "--"}
TABLE = {
    "symplectic Euler": (3.70e-2, 1.30e-2, 5.25e-3, 2.33e-3, 1.09e-3),
    "implicit Euler": (6.70e-2, 6.26e-2, 5.37e-2, 4.00e-2, 2.57e-2),
}
# one point of contact and the inertia of a cylinder about every axis: the catalogue's plane disc
DISC = {
    "rigid.cylinder.shape": f"{{sphere: {{radius: {R}}}}}",
    "rigid.cylinder.inertia": [M * R**2 / 2] * 3,
    "rigid.floor.contact.point.stiffness": K,
}


def run(e, label, scheme, dt=DT, mu=1, end=T, settings=None):
    """Columns and E, the energy of motion and spring over its start."""
    time = f"{{step: {dt}, end: {end}, scheme: {SCHEMES[scheme]}}}"
    h = e.run(label, SCENE, {"time": time, "rigid.floor.contact.friction": mu, **(settings or {})})
    h["E"] = (h["energy.kinetic"] + h["energy.potential"] - M * G * h["cylinder.z"]) / E0
    return h


def period(h):
    """From downward crossings of x = 0, as many periods as there are."""
    t, x = h["time"], h["cylinder.x"]
    i = np.nonzero((x[:-1] > 0) & (x[1:] <= 0))[0]
    crossing = t[i] + (t[i + 1] - t[i]) * x[i] / (x[i] - x[i + 1])
    return (crossing[-1] - crossing[0]) / (len(crossing) - 1)


def check_bands(e, runs):
    e.say("energy over its start and numerical period, dt = 20 ms")
    for mu, after in ((0, 0.180930), (1, 0.243249)):
        w = np.sqrt(KS / MASS[mu])
        h = runs["symplectic Euler", mu]
        early = h["E"][h["time"] <= 2]
        e.check(
            f"mu = {mu}, symplectic Euler: least E, 1/(1 + w dt/2)",
            early.min(),
            1 / (1 + w * DT / 2),
            rtol=2e-3,
        )
        e.check(
            f"mu = {mu}, symplectic Euler: largest E, 1/(1 - w dt/2)",
            early.max(),
            1 / (1 - w * DT / 2),
            rtol=2e-3,
        )
        e.check(
            f"mu = {mu}, symplectic Euler: period [s]",
            period(h),
            2 * np.pi * DT / np.arccos(1 - (w * DT) ** 2 / 2),
            rtol=2e-3,
        )
        ratio = runs["implicit Euler", mu]["E"]
        rate = (ratio[20] / ratio[0]) ** (
            1 / 20
        )  # a step; the exact decay has the same factor in each
        e.check(
            f"mu = {mu}, implicit Euler: E after one period",
            rate ** (2 * np.pi / w / DT),
            after,
            rtol=2e-3,
        )
        h = runs["midpoint", mu]
        e.check(
            f"mu = {mu}, midpoint: period [s]",
            period(h),
            2 * np.pi * DT / (2 * np.arctan(w * DT / 2)),
            rtol=2e-3,
        )
        band = np.ptp(h["E"][h["time"] <= 2])
        if mu == 0:
            e.check("mu = 0, midpoint: largest change of E", band, 0, atol=1e-10)
        else:
            e.say(
                f"  mu = 1, midpoint: E varies by {100 * band:.2f} % in 2 s (P3: 0.16 %), all of "
                f"it the cost of friction's creep"
            )


def check_errors(e):
    e.say("rms error of x against x0 cos(w t), rolling, 5 s [m]")
    errors = {}
    for model in MODELS:
        for scheme in SCHEMES:
            row = errors[model, scheme] = []
            for i, dt in enumerate(STEPS):
                h = run(
                    e,
                    f"{model}_{scheme.replace(' ', '_')}_{dt}",
                    scheme,
                    dt,
                    settings={"contact.model": model},
                )
                row.append(
                    np.sqrt(
                        np.mean(
                            (h["cylinder.x"] - X0 * np.cos(np.sqrt(KS / MASS[1]) * h["time"]))[1:]
                            ** 2
                        )
                    )
                )
                if scheme in TABLE:
                    e.check(f"{model}, {scheme}, dt {dt} s", row[i], TABLE[scheme][i], rtol=0.05)
            o = orders(STEPS, row)
            e.say(
                f"  {model}, {scheme}: errors "
                + ", ".join(f"{v:.3e}" for v in row)
                + "; orders "
                + ", ".join(f"{v:.2f}" for v in o)
            )
            if scheme == "midpoint":
                e.check(f"{model}, midpoint: order of the last two steps", o[-1], 2, atol=0.1)
            if scheme == "symplectic Euler":
                e.check(
                    f"{model}, symplectic Euler: order of the last two steps",
                    o[-1],
                    1.09,
                    atol=0.05,
                )
    return errors


def check_long(e):
    """Ten minutes with SAP: the rate of loss, from means of E over 10 periods."""
    along, across = M * R**2 / 2, M * (3 * R**2 + LENGTH**2) / 12
    x, y = 1 / M + R**2 / along + (LENGTH / 2) ** 2 / across, 1 / M + R**2 / across
    # the midpoint rule sees the force at half steps and half the creep of each of two steps
    half = 1 / (1 + KS / MASS[1] * (DT / 2) ** 2) ** 2
    cases = {
        "one point, w = W_tt = 3/m": ("symplectic Euler", DISC, 3 / M, 600),
        "the same, delassus full": (
            "symplectic Euler",
            {**DISC, "contact.delassus": "full"},
            3 / M,
            120,
        ),
        "the same, midpoint": ("midpoint", DISC, 3 / M * half, 600),
        "one point, sigma w as with w = 1/m": (
            "symplectic Euler",
            {**DISC, "contact.sigma": 1e-3 / 3},
            1 / M,
            600,
        ),
        "cylinder on two points": ("symplectic Euler", {}, np.sqrt((x * x + y * y) / 2) / 2, 600),
    }
    means = {}
    e.say(
        "ten minutes of rolling, SAP: rate of energy loss sigma w dt k_s/9 [1/s], time to lose "
        "10 % [s] (P3: some ten minutes)"
    )
    for i, (label, (scheme, settings, w, end)) in enumerate(cases.items()):
        h = run(e, f"long_{i}", scheme, end=end, settings=settings)
        n = int(round(10 * 2 * np.pi / np.sqrt(KS / MASS[1]) / DT))
        count = (len(h["E"]) - 1) // n
        E = h["E"][1 : count * n + 1].reshape(count, n).mean(axis=1)
        means[label] = h["time"][1 : count * n + 1].reshape(count, n).mean(axis=1), E
        rate = 1e-3 * w * DT * KS / 9
        e.check(f"{label}: rate", np.log(E[0] / E[-1]) / ((count - 1) * n * DT), rate, rtol=0.01)
        lost = np.argmax(E < 0.9 * E[0]) * n * DT  # in whole means
        e.check(f"{label}: 10 % lost after", lost, np.log(1 / 0.9) / rate, atol=n * DT)
        if i == 0:
            e.check(f"{label}: 10 % lost after, by the independent program", lost, 81.6, atol=1e-6)
    e.say("  ten minutes would need sigma w = 7.9e-4 1/kg, 0.4 sigma/m: P3 does not say its w")
    return means


def draw_energy(runs, mu):
    def draw(axes):
        for scheme in SCHEMES:
            h = runs[scheme, mu]
            axes.plot(h["time"], h["E"], LINE[scheme], label=scheme)
        axes.set_xlim(0, 3)

    return draw


def draw_errors(errors):
    def draw(axes):
        for i, scheme in enumerate(SCHEMES):
            for model, mark in zip(MODELS, "o+x"):
                axes.loglog(
                    STEPS,
                    errors[model, scheme],
                    mark + LINE[scheme],
                    color=f"C{i}",
                    label=f"{scheme}, {model}",
                )
        axes.loglog(STEPS, 0.4 * np.array(STEPS), "k-", lw=0.7, label="first order")
        axes.loglog(STEPS, 15 * np.array(STEPS) ** 2, "k--", lw=0.7, label="second order")

    return draw


def main():
    e = Experiment("spring_cylinder", "R05")
    runs = {
        (scheme, mu): run(e, f"{scheme.replace(' ', '_')}_mu{mu}", scheme, mu=mu)
        for scheme in SCHEMES
        for mu in (0, 1)
    }
    check_bands(e, runs)
    errors = check_errors(e)
    means = check_long(e)
    for mu in (0, 1):
        e.plot(
            f"energy_mu{mu}",
            draw_energy(runs, mu),
            f"Cylinder on a spring, mu = {mu}, dt = 20 ms",
            "time [s]",
            "energy over its start [-]",
        )
    e.plot(
        "errors",
        draw_errors(errors),
        "Rolling cylinder on a spring, 5 s: the models agree",
        "dt [s]",
        "rms error of x [m]",
    )
    e.plot(
        "long",
        lambda a: [a.plot(t / 60, E, label=label) for label, (t, E) in means.items()],
        "Rolling for ten minutes, SAP, dt = 20 ms",
        "time [min]",
        "mean energy of 10 periods over the start [-]",
    )
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
