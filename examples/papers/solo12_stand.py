"""P4 Fig 13, case G09: a quadruped of Solo-12's dimensions stands; contact compliance against all
contact solvers: examples/solo12_stand.yaml.

Overlap at rest, creep of feet that stick, and friction of the feet against each other, which stiff
legs hold after they have slid to rest."""
import os
import sys

import numpy as np
from experiment import LINE, SOLVERS, Experiment, line, plt

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "solo12_stand.yaml")
FEET = ("FL", "FR", "HL", "HR")
SHARE = 2.50000279 * 9.81 / 4  # weight on a foot [N]
HEIGHT = 0.23894615  # of the base above feet that just touch [m]
STIFFNESS = (2e3, 2e4, 2e5, 2e6)  # of a foot [N/m]
PULL = 4.0  # aside, of 22 N that friction holds [N]
ALPHA = (1e-3, 1e-2, 1e-1)
ALL = {**SOLVERS, "newton coupled": {}, "newton elastic": {"contact.stick": "elastic"}}
LINE["newton coupled"], LINE["newton elastic"] = ("k", "-"), ("k", ":")
STIFF = {  # legs that do not yield, in the pose itself
    "actuators.legs.kp": 1e4,
    "actuators.legs.kd": 50,
    "actuators.legs.effort": 1000,
    "actuators.legs.targets": "[[0, 0, .8, -1.6, 0, .8, -1.6, 0, -.8, 1.6, 0, -.8, 1.6]]",
    "robots.solo.velocity": "[0.1, 0.05, 0]",
    "time.end": 0.6,
}


def stand(e, label, solver, settings, k=2e4, tolerance=1e-8):
    """Columns and the feet's forces [rows x 4 x 3, N]."""
    h = e.run(f"{label}_{solver.replace(' ', '_')}_{k:g}", SCENE, {
        "output.format": "none", "output.every": 0.01, "loads": "{}",
        "solver.tolerance": tolerance, "contact.dual.tolerance": tolerance,
        "contact.defaults.point.stiffness": 2 * k,
        "robots.solo.pose.position.2": HEIGHT - SHARE / k, **ALL[solver], **settings})
    force = [[h[f"contact.floor.solo/{foot}_foot.f{c}"] for c in "xyz"] for foot in FEET]
    return h, np.transpose(force, (2, 0, 1))


def internal(force):
    """Friction of the feet that carries nothing [N]."""
    t = force[-1, :, :2]
    return np.sum(np.hypot(*t.T)) - np.hypot(*np.sum(t, axis=0))


def creep(e, solver, settings, label="pull"):
    """Speed aside of feet that stick [m/s], the mean of 0.4 s."""
    h, force = stand(e, label, solver, {
        "loads": f"{{pull: {{body: solo/base, force: [0, {PULL} N, 0]}}}}", "time.end": 3,
        **settings})
    y, t = h["solo/base.y"], h["time"]
    return (y[-1] - np.interp(2.6, t, y)) / (t[-1] - 2.6), np.sum(force[-1, :, 1])


def main():
    e = Experiment("solo12_stand", "P4 Fig 13, G09")
    e.head("G09: weight on a foot, forces aside, tolerance 1e-10")
    for s in ALL:
        _, f = stand(e, "rest", s, {"time.end": 1}, tolerance=1e-10)
        e.check(f"{s}: m g/4 [N], the worst of four feet",
                f[-1, np.argmax(np.abs(f[-1, :, 2] - SHARE)), 2], SHARE, rtol=1e-6)
        e.check(f"{s}: largest force aside of a foot [N]",
                np.max(np.hypot(*f[-1, :, :2].T)), 0, atol=1e-6 * SHARE)

    rows, sunk, left, crept = [], {}, {}, {}
    for s in ALL:
        sunk[s], left[s] = [], []
        for k in STIFFNESS:
            h, _ = stand(e, "sunk", s, {"robots.solo.pose.position.2": HEIGHT, "time.end": 1}, k)
            sunk[s].append(h["penetration"][-1])
            left[s].append(internal(stand(e, "slide", s, STIFF, k)[1]))
        crept[s], held = creep(e, s, {})
        rows.append([s, *(1e6 * x for x in sunk[s]), 1e6 * crept[s], held, *left[s]])
    e.table("compliance", "At rest: overlap [um]; pulled aside by 4 N; forces inside [N]",
            ["solver", *(f"overlap, {k:g} N/m" for k in STIFFNESS), "creep [um/s]", "friction [N]",
             *(f"inside, {k:g} N/m" for k in STIFFNESS)], rows)
    alpha = [creep(e, "mujoco", {"contact.dual.alpha": a}, f"alpha{a:g}")[0] for a in ALPHA]

    e.head("Fig 13, left: overlap is m g/(4 k), linear in the compliance")
    for s in ALL:
        worst = max(range(len(STIFFNESS)), key=lambda i: abs(sunk[s][i] * STIFFNESS[i] - SHARE))
        e.check(f"{s}: overlap at {STIFFNESS[worst]:g} N/m [m]", sunk[s][worst],
                SHARE / STIFFNESS[worst], rtol=1e-3,
                reason="compliance alpha over the inverse mass is added" if s == "mujoco" else "")
    e.head("Fig 13, centre: compliance along the floor lets sticking feet creep")
    for a, v in zip(ALPHA, alpha):
        e.check(f"mujoco, alpha {a:g}: creep over alpha [m/s]", v / a, alpha[1] / ALPHA[1],
                rtol=0.1)
    for s in ("ncp_pgs", "ncp_staggered", "ccp_admm", "newton elastic"):
        e.check(f"{s}: creep [m/s]", crept[s], 0, atol=1e-8)
    e.head("Fig 13, right: what pulls stiff legs apart vanishes with compliance along the floor")
    for s in ("mujoco", "newton elastic"):
        e.check(f"{s}: forces inside at {STIFFNESS[0]:g} N/m [N]", left[s][0], 0, atol=0.1)
    e.check("mujoco: the largest of all stiffnesses [N]", max(left["mujoco"]), 0, atol=1e-5)
    for s in ("ncp_pgs", "raisim", "ccp_pgs", "ncp_staggered"):
        e.holds(f"{s}: {left[s][0]:.3g} N at {STIFFNESS[0]:g}, {left[s][-1]:.3g} N at "
                f"{STIFFNESS[-1]:g} N/m", left[s][-1] > 1.5 * left[s][0] > 5)

    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    compliance = 1 / np.array(STIFFNESS)
    axes[0].loglog(compliance, SHARE * compliance, color="k", linewidth=4, alpha=0.2,
                   label="m g/4 times the compliance")
    for s in ALL:
        axes[0].loglog(compliance, sunk[s], **line(s, linewidth=1))
        axes[2].loglog(compliance, np.maximum(left[s], 1e-8), **line(s, linewidth=1.2))
    axes[0].set(xlabel="compliance of a foot [m/N]", ylabel="overlap [m]", title="at rest")
    axes[0].legend(fontsize=7)
    names = [*ALL, *(f"mujoco, alpha {a:g}" for a in ALPHA)]
    speeds = [*crept.values(), *alpha]
    axes[1].barh(names, np.maximum(np.abs(speeds), 1e-12),
                 color=[LINE[n.split(",")[0]][0] for n in names])
    axes[1].set(xscale="log", xlabel="creep of sticking feet [m/s]", title="pulled aside by 4 N")
    axes[1].tick_params(axis="y", labelsize=7)
    axes[1].invert_yaxis()
    axes[2].set(xlabel="compliance of a foot [m/N]", ylabel="friction that carries nothing [N]",
                title="stiff legs, slid to rest")
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(os.path.join(e.folder, "fig13.png"), dpi=100)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
