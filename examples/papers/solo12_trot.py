"""P4 Figs 17, 18: a quadruped of Solo-12's dimensions trots on flat ground (mu 0.9) and over domes
up to 0.1 m high (mu 0.3), by every contact solver: examples/solo12_stand.yaml.

An open controller stands in for the paper's model predictive one.  Pairs of diagonal legs swing in
turn.  Feet that stand share the force and moment which hold height, velocity and rotation of the
base: the forces f of least (f and m)(A f - w)^2 + 1e-4 f^2 in cones of 0.7 mu, a quadratic
programme that `supple contact --solver ccp_admm` solves every 10 ms; joints get -J^T f.  A foot in
the air follows a smooth arc to below its hip, ahead by the motion of half a stance and by 0.12 s of
the velocity's error (Raibert), with J^T of a spring and damper.  It knows no ground: a foot that
touches late in its swing stands from then on.  Efforts reach the drives as targets past the joints'
places, within 2.5 N m.

    /usr/bin/python3 examples/papers/solo12_trot.py            # table and figures
    /usr/bin/python3 examples/papers/solo12_trot.py --targets  # examples/solo12_trot.csv"""
import os
import subprocess
import sys
import time

import numpy as np
from experiment import PROGRAM, SOLVERS, Experiment, line, plt

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "postproc"))
import supple  # noqa: E402

SCENE = os.path.join(HERE, "..", "solo12_stand.yaml")
LEGS = ("FL", "FR", "HL", "HR")
SWING = ((0, 3), (1, 2))  # legs in the air in the halves of a period
HIP = np.array([[0.1946, 0.1469, 0], [0.1946, -0.1469, 0], [-0.1946, 0.1469, 0],
                [-0.1946, -0.1469, 0]])
MASS, HEIGHT = 2.5, 0.221  # [kg], of the base above feet [m]
SPEED, BEGIN, HALF, END = 0.4, 0.3, 0.16, 3.0  # [m/s], first swing, half a period, end [s]
KP, KD = 20.0, 0.5  # of the scene's drives
LIFT = 0.05  # of a foot [m]
GROUNDS = {"flat": 0.9, "bumpy": 0.3}
SWEPT = {"contact.model": "lagged", "contact.friction_sweeps": 20, "contact.sweep_tolerance": 1e-8}


def domes(seed=1, number=60, radius=0.6):
    """Caps of spheres 2 to 10 cm high, clear of the feet at the start."""
    random, shapes = np.random.default_rng(seed), [{"shape": {"half_space": {}}}]
    while len(shapes) <= number:
        x, y, h = random.uniform(0, 3), random.uniform(-0.6, 0.6), random.uniform(0.02, 0.1)
        if np.hypot(max(0, x - 0.21), max(0, abs(y) - 0.16)) > np.sqrt(2 * radius * h) + 0.02:
            shapes.append({"shape": {"sphere": {"radius": radius}},
                           "pose": {"position": [x, y, h - radius]}})
    return shapes


def distribute(folder, arms, wrench, mu):
    """Forces of feet at `arms` from the base that give the wrench, in their cones [N]."""
    A = np.hstack([np.vstack([np.eye(3), [[0, -z, y], [z, 0, -x], [-y, x, 0]]])
                   for x, y, z in arms])
    W = np.diag([1, 1, 1, 25, 25, 25])  # of forces, of moments [1/m^2]
    problem, forces = (os.path.join(folder, n) for n in ("programme.npz", "forces.csv"))
    np.savez(problem, G=A.T @ W @ A + 1e-4 * np.eye(A.shape[1]), g=-A.T @ W @ wrench,
             mus=np.full(len(arms), mu))
    subprocess.run([PROGRAM, "contact", problem, "-q", "--own", "--solver", "ccp_admm", "-o",
                    forces], check=True, stderr=subprocess.DEVNULL)
    return np.loadtxt(forces, delimiter=",", skiprows=1, usecols=(2, 3, 4), ndmin=2)


def matrix(q):
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


class Trot:
    """The controller; `targets` are those it has set."""

    def __init__(self, sim, folder, mu):
        self.sim, self.folder, self.mu, self.half = sim, folder, mu, None
        self.drives = [f"legs_{leg}_{joint}" for leg in LEGS for joint in ("HAA", "HFE", "KFE")]
        self.force, self.landed = np.zeros((4, 3)), set()

    def control(self):
        sim, t = self.sim, self.sim.time - BEGIN
        pose, twist = sim.read("pose", "solo/base"), sim.read("velocity", "solo/base")
        q, u = sim.read("tree_position", "solo")[7:], sim.read("tree_velocity", "solo")
        p, v, R = pose[:3], twist[:3], matrix(pose[3:])
        yaw = np.arctan2(R[1, 0], R[0, 0])
        ahead = np.array([np.cos(yaw), np.sin(yaw), 0])
        turn = np.array([ahead, [-ahead[1], ahead[0], 0], [0, 0, 1]]).T
        wanted = SPEED * np.clip(t / 0.5, 0, 1) * ahead
        feet = np.array([sim.read("pose", f"solo/{leg}_foot")[:3] for leg in LEGS])
        J = [sim.jacobian(f"solo/{leg}_foot")[:3] for leg in LEGS]
        half, share = (int(t // HALF), t / HALF % 1) if t >= 0 else (None, 0)
        begins = half != self.half
        if begins:
            self.half, self.start, self.landed = half, feet, set()
        for i in SWING[half % 2] if half is not None and share > 0.6 else ():
            if i not in self.landed and sim.observe(f"contact.floor.solo/{LEGS[i]}_foot.fz") > 0.5:
                self.landed.add(i)
                begins = True
        swing = [i for i in SWING[half % 2] if i not in self.landed] if half is not None else []
        stance = [i for i in range(4) if i not in swing]
        ground = np.mean(feet[stance, 2])
        if begins or round(sim.time / sim.dt) % 10 == 0:
            tilt = np.array([np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), 0])
            push = MASS * (np.array([30, 15, 20]) * (wanted - v)
                           + [0, 0, 9.81 + 200 * (ground + HEIGHT - p[2])])
            moment = (turn @ ([-12, -18, 0] * tilt) - np.array([0.8, 1.2, 1]) * twist[3:]
                      - [0, 0, 4 * yaw])
            self.force[stance] = distribute(self.folder, feet[stance] - p, [*push, *moment],
                                            0.7 * self.mu)
        s = min(1, share / 0.9)
        rate = 1 / (0.9 * HALF) if s < 1 else 0
        effort = np.zeros(12)
        for i in range(4):
            leg = J[i][:, 6 + 3 * i:9 + 3 * i]
            pull = -self.force[i]
            if i in swing:
                goal = p + turn @ HIP[i] + 0.12 * (v - wanted)
                goal += HALF * (wanted / 2 + (1 - share) * v)
                way = np.array([*goal[:2], ground - 0.004]) - self.start[i]
                at = self.start[i] + s * s * (3 - 2 * s) * way
                at[2] += LIFT * np.sin(np.pi * s)
                going = 6 * s * (1 - s) * rate * way
                going[2] += LIFT * np.pi * rate * np.cos(np.pi * s)
                pull = 400 * (at - feet[i]) + 8 * (going - J[i] @ u)
            effort[3 * i:3 * i + 3] = leg.T @ pull
        self.targets = q + (effort + KD * u[6:]) / KP
        for drive, target in zip(self.drives, self.targets):
            sim.set("target", drive, target)


def walk(e, ground, settings, end=END):
    """Rows [time, base x, y, z, NCP residual, s a step, contacts], and targets of each step."""
    sets = {"loads": "{}", "contact.defaults.friction": GROUNDS[ground], "output.pairs":
            [["floor", f"solo/{leg}_foot"] for leg in LEGS], **settings}
    if ground == "bumpy":
        sets["rigid.floor"] = {"shapes": domes(), "fixed": True}
    sim = supple.load(SCENE, **sets)
    trot, rows, targets = Trot(sim, e.folder, GROUNDS[ground]), [], []
    while sim.time < end - sim.dt / 2:
        trot.control()
        start = time.perf_counter()
        sim.step()
        spent = time.perf_counter() - start
        ncp = (max(sim.observe("ncp_primal"), sim.observe("ncp_complementarity"))
               if "solver.certificate" in sets else 0)
        rows.append([sim.time, *sim.read("pose", "solo/base")[:3], ncp, spent,
                     sim.observe("contacts")])
        targets.append(trot.targets)
    return np.array(rows), np.array(targets)


def write_targets(e):
    """Means over 10 ms of what the controller sets on flat ground by the scene's own solver."""
    rows, targets = walk(e, "flat", {})
    table = np.hstack([rows[:, :1] - 1e-3, targets]).reshape(-1, 10, 13).mean(axis=1)
    head = ",".join(f"{leg}_{joint} [rad]" for leg in LEGS for joint in ("HAA", "HFE", "KFE"))
    np.savetxt(os.path.join(HERE, "..", "solo12_trot.csv"), table, "%.4f", ",",
               header="time [s]," + head, comments="")


def main():
    e = Experiment("solo12_trot", "P4 Figs 17, 18")
    if "--targets" in sys.argv:
        return write_targets(e)
    runs, rows, mean = {}, [], {}
    for g in GROUNDS:
        for s, settings in {"newton coupled": {}, "newton swept": SWEPT, **SOLVERS}.items():
            r = runs[g, s] = walk(e, g, {"solver.certificate": "true", **settings})[0]
            late = r[r[:, 0] > 1]
            mean[g, s] = (late[-1, 1] - late[0, 1]) / (late[-1, 0] - late[0, 0])
            rows.append([g, s, mean[g, s], r[-1, 2], np.min(r[:, 3]), np.median(late[:, 4]),
                         np.max(late[:, 4]), 1e3 * np.median(late[:, 5]), np.mean(late[:, 6])])
            e.say(f"  {g}, {s}: {mean[g, s]:.3f} m/s")
    e.table("solo12_trot", f"{SPEED} m/s wanted; steps of 1 ms; from 1 s on",
            ["ground", "solver", "velocity [m/s]", "aside at the end [m]", "lowest base [m]",
             "NCP residual, median", "largest", "step [ms]", "contacts"], rows)
    residual = {(r[0], r[1]): r[5] for r in rows}
    e.head("Figs 17, 18: base velocity and contact complementarity")
    for g in GROUNDS:
        for s in ("newton coupled", *SOLVERS):
            e.holds(f"{g}, {s}: on its feet to the end, {min(runs[g, s][:, 3]):.3f} m at least",
                    np.min(runs[g, s][:, 3]) > 0.18)
    for s in SOLVERS:
        e.check(f"flat, {s}: velocity [m/s], as by newton coupled", mean["flat", s],
                mean["flat", "newton coupled"], rtol=0.05)
    for g in GROUNDS:
        e.holds(f"{g}: NCP residual of raisim and ccp_pgs above that of ncp_pgs",
                min(residual[g, "raisim"], residual[g, "ccp_pgs"]) > residual[g, "ncp_pgs"])
        lagged, swept = runs[g, "newton lagged"], runs[g, "newton swept"]
        late = np.mean(lagged[:, 4] > 0.01)
        e.holds(f"{g}: NCP residual of newton lagged above 0.01 in {late:.3f} "
                f"of the steps, up to {np.max(lagged[:, 4]):.2g}; swept up to "
                f"{np.max(swept[:, 4]):.1g}: its friction lags as feet land and lift",
                np.max(swept[:, 4]) < 1e-4)
    figure, axes = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for row, g in zip(axes, GROUNDS):
        for s in SOLVERS:
            t, x, ncp = runs[g, s][:, 0], runs[g, s][:, 1], runs[g, s][:, 4]
            row[0].plot(t[160:] - 0.08, (x[160:] - x[:-160]) / 0.16, **line(s, linewidth=1))
            row[1].semilogy(t, np.maximum(ncp, 1e-16), **line(s, linewidth=0.6))
        row[2].barh(list(SOLVERS), [1e3 * np.median(runs[g, s][1000:, 5]) for s in SOLVERS],
                    color=[line(s)["color"] for s in SOLVERS])
        row[0].set(ylabel=f"{g}: velocity over half a period [m/s]", xlabel="time [s]")
        row[1].set(ylabel="NCP residual", xlabel="time [s]")
        row[2].set(xlabel="time a step [ms]")
        row[2].invert_yaxis()
    axes[0, 0].legend(fontsize=7)
    figure.savefig(os.path.join(e.folder, "fig17_18.png"), dpi=90)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
