"""P4 Fig 11, case R09: a cube is pulled until it slips; what its corners take of the pull, all
contact solvers."""
import os
import sys

import numpy as np
from experiment import SOLVERS, Experiment, line, load_contacts

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cube_drag.yaml")
MU, G, REST, HALF, DT = 0.95, 9.81, 0.104, 0.1, 1e-3
ONSET = MU / 4  # 4 g t = mu m g
REAR = G / 4 - MU * G * REST / (4 * HALF)  # normal force of a rear corner while the cube slides [N]
FRONT = G / 2 - REAR
STICK = 0.1  # a time at which it sticks and the least impulses are within all four bounds [s]
SLIDE = 0.35


def corners(folder, h):
    """Forces [steps x 4 x 3] on the corners -- rear right, front right, rear left, front left --
    of the steps' ends."""
    out = np.zeros((len(h["time"]), 4, 3))
    for n, (points, forces) in enumerate(load_contacts(folder)):
        for point, force in zip(points, forces):
            out[n, 2 * (point[1] > h["cube.y"][n]) + (point[0] > h["cube.x"][n])] = force
    return out


def turned(force, h, n):
    """Largest angle [deg] between a corner's friction and the direction against the slip."""
    t = force[n, :, :2]
    size = np.hypot(t[:, 0], t[:, 1])
    keep = size > 1e-3 * np.max(size)
    return np.degrees(np.max(np.arctan2(np.abs(t[keep, 1]), -t[keep, 0])))


def main():
    e = Experiment("cube_drag", "R09, P4 Fig 11")
    runs, force = {}, {}
    for s, settings in SOLVERS.items():
        label = s.replace(" ", "_")
        runs[s] = e.run(label, SCENE, {**settings, "output.format": "ascii",
                                       "contact.dual.tolerance": 1e-7, "solver.tolerance": 1e-8})
        force[s] = corners(os.path.join(e.folder, label), runs[s])
    rows, found = [], {}
    n, m = round(STICK / DT), round(SLIDE / DT)
    pull = 4 * G * (STICK - DT / 2)  # mean of the step [N]
    lean = pull * REST / (4 * HALF)
    for s, h in runs.items():
        f, v = force[s], np.interp(ONSET + 0.1, h["time"], h["cube.vx"])
        slips = h["time"][np.argmax(h["cube.vx"] > 1e-3)]
        found[s] = {
            "onset": ONSET + 0.1 - np.sqrt(v / (2 * G)),
            "v": v,
            "lateral": np.max(np.abs(f[10:230, :, 1])),
            "share": np.max(np.abs(f[n, :, 0] + pull / 4)),
            "normal": np.max(np.abs(f[n, :, 2] - G / 4 - lean * np.array([-1, 1, -1, 1]))),
            "aside": np.max(np.abs(f[m, :, 1])),
            "turned": turned(f, h, m),
        }
        rows.append((s, slips, *found[s].values(), np.max(h["cube.z"]) - REST))
    e.table("fig11", f"Fig 11: stuck at {STICK} s (pull {pull:.4g} N), sliding at {SLIDE} s",
            ("solver", "v > 1 mm/s at [s]", "onset [s]", "v(onset + .1 s) [m/s]",
             "stuck: lateral [N]", "off F/4 [N]", "normal off [N]", "sliding: lateral [N]",
             "turned [deg]", "height [m]"), rows)
    coulomb = ("newton lagged", "tamsi", "ncp_pgs", "ncp_staggered", "lcp_pgs", "lcp_staggered")
    e.head("onset (paper: about 0.25 s) and velocity 0.1 s later, forces while it slides")
    for s in coulomb:
        e.check(f"{s}: onset [s]", found[s]["onset"], ONSET, atol=2 * DT)
        e.check(f"{s}: v(onset + .1 s) [m/s]", found[s]["v"], 2 * G * 0.1**2, rtol=0.02)
        f = force[s][m]
        e.check(f"{s}: rear corner [N]", np.mean(f[[0, 2], 2]), REAR, atol=0.05)
        e.check(f"{s}: front corner [N]", np.mean(f[[1, 3], 2]), FRONT, atol=0.05)
    e.head("no forces that pull the corners apart")
    for s in ("newton lagged", "tamsi", "newton sap", "ccp_admm", "mujoco"):
        e.check(f"{s}: lateral forces, stuck [N]", found[s]["lateral"], 0, atol=1e-6)
    for s in ("newton sap", "ccp_admm", "mujoco"):
        e.check(f"{s}: off equal shares [N]", found[s]["share"], 0, atol=1e-3)
    for s in ("newton lagged", "tamsi"):
        e.check(f"{s}: off equal shares [N]", found[s]["share"], 0, atol=1e-3,
                reason="friction is mu N_i times one function of the slip: it goes with N_i")
    for s in ("ncp_staggered", "lcp_staggered"):
        e.check(f"{s}: lateral forces, stuck [N]", found[s]["lateral"], 0, atol=1e-6)
    e.head("what P4 finds in solvers contact by contact")
    for s in ("ncp_pgs", "ccp_pgs", "raisim"):
        e.holds(f"{s}: lateral forces while it sticks, {found[s]['lateral']:.2g} N",
                found[s]["lateral"] > 0.01)
    e.holds(f"raisim: and while it slides, {found['raisim']['aside']:.2g} N; its friction is "
            f"turned by {found['raisim']['turned']:.3g} deg", found["raisim"]["turned"] > 5)
    for s in ("ncp_pgs", "ncp_staggered"):
        e.check(f"{s}: friction against the slip [deg]", found[s]["turned"], 0, atol=1)

    def draw_speed(a):
        t = runs["ncp_pgs"]["time"]
        exact = 2 * G * np.maximum(t - ONSET, 0) ** 2
        a.plot(t, exact, color="k", linewidth=3, alpha=0.3, label="Coulomb, exact")
        for s, h in runs.items():
            a.plot(h["time"], h["cube.vx"], **line(s))

    e.plot("fig11_speed", draw_speed, "Fig 11: speed of a dragged cube, dt = 1 ms", "time [s]",
           "v_x [m/s]")

    def draw_forces(component):
        def draw(a):
            for s in ("newton lagged", "ncp_pgs", "ncp_staggered", "raisim", "ccp_pgs", "ccp_admm"):
                for k in range(4):
                    more = {"label": s} if k == 0 else {"label": None}
                    a.plot(runs[s]["time"][1:], force[s][1:, k, component], **line(s, **more))

        return draw

    e.plot("fig11_along", draw_forces(0), "Fig 11: friction of the four corners along the pull",
           "time [s]", "force on a corner along x [N]")
    e.plot("fig11_lateral", draw_forces(1), "Fig 11: friction of the four corners across the pull",
           "time [s]", "force on a corner along y [N]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
