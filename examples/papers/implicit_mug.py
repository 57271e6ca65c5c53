"""P2 VI-A, Figs 5 and 7: implicit Euler that searches contacts in each evaluation, with and without
TALS, against TAMSI on the shaken mug; and the box of P2 IV-A.

Full Newton with forward differences of the forces that the library finds at a state, as P2 has it;
a step of ten iterations without convergence is halved.  P2 counts evaluations of the dynamics,
those of differences by all positions and velocities included; the time of one is the median of its
search and forces, without Python."""
import os
import sys

import numpy as np
from experiment import Experiment

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "postproc"))
import supple  # noqa: E402

SCENE = os.path.join(HERE, "..", "shaken_mug.yaml")
A, W, STEP, END = 0.15, 4 * np.pi, 3e-3, 5.0
INSTANT = 1e-8  # step in which the library shows accelerations [s]
ITERATIONS, TOLERANCE, TURN = 10, 1e-7, np.pi / 3  # of Newton [-], [m/s]; P2's largest angle
SLIP = 1e-4  # at which friction has its bound [m/s]


class Newton:
    """Implicit Euler u = u0 + h f(u) of a system with `rate(u, h)` and, for TALS, `slips(u)`."""

    def __init__(self, system, tals):
        self.system, self.tals = system, tals
        self.evaluations = self.iterations = self.halved = 0

    def residual(self, u, u0, h):
        self.evaluations += 1
        return u - u0 - h * self.system.rate(u, h)

    def share(self, u, du):
        """TALS: the part of du after which no slip has passed the stiction region or turned by
        more than pi/3 (P2 III-A)."""
        least = 1.0
        for a, b in zip(self.system.slips(u), self.system.slips(u + du)):
            d, na, nb = b - a, np.linalg.norm(a), np.linalg.norm(b)
            if na < SLIP or not d @ d > 0:
                continue
            nearest = -(a @ d) / (d @ d)
            if 0 < nearest < 1 and np.linalg.norm(a + nearest * d) < SLIP:
                least = min(least, nearest)
            elif nb > SLIP and a @ b < np.cos(TURN) * na * nb:
                side = np.cross([*a, 0][:3], [*d, 0][:3])  # the sine law in the plane of a and d
                angle = np.arctan2(np.linalg.norm(side), a @ d)
                least = min(least, na * np.sin(TURN) / (np.linalg.norm(d) * np.sin(angle - TURN)))
        return least

    def solve(self, u0, h):
        u = u0.copy()
        for _ in range(ITERATIONS):
            self.iterations += 1
            r = self.residual(u, u0, h)
            J = np.empty((len(u), len(u)))
            for k in range(len(u)):
                e = np.zeros(len(u))
                e[k] = 1e-7
                J[:, k] = (self.residual(u + e, u0, h) - r) / 1e-7
            du = -np.linalg.solve(J, r)
            share = self.share(u, du) if self.tals else 1.0
            u = u + share * du
            if share == 1 and self.system.size(du) < TOLERANCE:
                return u
        return None

    def step(self, u0, h):
        u = self.solve(u0, h)
        if u is None and h > 1e-9:
            self.halved += 1
            return self.step(self.step(u0, h / 2), h / 2)
        self.system.go(u, h)
        return u


class Box:
    """A box under a harmonic force on a plane (P2 IV-A)."""
    mass, weight = 0.33, 0.33 * 9.8

    def __init__(self):
        self.time = 0.0

    def rate(self, v, h):
        pull = 4 * np.sin(2 * np.pi * (self.time + h))
        return (pull - self.weight * v / np.sqrt(v * v + SLIP**2)) / self.mass

    def slips(self, v):
        return [v]

    def size(self, dv):
        return abs(dv[0])

    def go(self, v, h):
        self.time += h


class Mug:
    """Mug and jaw in the axes of the hand, whose motion is a gravity: x has the mug's pose, the
    joint's position, the mug's velocity, its angular velocity and the joint's."""

    def __init__(self):
        self.sim = supple.load(SCENE, **{
            "robots.gripper": {"urdf": os.path.join(HERE, "..", "jaw_gripper.urdf")},
            "rigid.mug.velocity": [0, 0, 0], "time": {"step": INSTANT, "end": 1},
            "solver.tolerance": 1e-13, "output": {}})
        self.time, self.seconds = 0.0, []
        self.start = np.concatenate([self.sim.read("pose", "mug"), np.zeros(8)])

    def rate(self, x, h):
        """Derivatives of x, from the contacts and accelerations that the library finds there."""
        t, q, v = self.time + h, x[3:7] / np.linalg.norm(x[3:7]), x[8:]
        self.sim.set("gravity", "", [0, 0, A * W * W * np.sin(W * t)])
        self.sim.assign_arrays({
            ("pose", "mug"): [*x[:3], *q], ("velocity", "mug"): v[:6],
            ("tree_position", "gripper"): [x[7]] * 2, ("tree_velocity", "gripper"): [v[6]] * 2})
        report = self.sim.step()
        self.seconds.append(sum(report.seconds))
        self.h = h
        w, joint = v[3:6] / 2, self.sim.read("joint_velocity", "gripper/left")
        turn = [-w @ q[1:], *(q[0] * w + np.cross(w, q[1:]))]
        return np.concatenate([v[:3], turn, v[6:], (np.array(
            [*self.sim.read("velocity", "mug"), *joint]) - v) / INSTANT])

    def slips(self, x):
        self.rate(x, self.h)
        return [c.slip for c in self.sim.contacts()]

    def size(self, dx):
        return np.linalg.norm(dx[8:] * [1, 1, 1, 0.04, 0.04, 0.04, 1])

    def go(self, x, h):
        self.time += h


def follow(newton, u, h, end):
    """Rows [time, u, iterations, evaluations, halved steps]."""
    system, rows = newton.system, []
    while system.time < end - h / 2:
        u = newton.step(u, h)
        rows.append([system.time, *u, newton.iterations, newton.evaluations, newton.halved])
    return np.array(rows)


def box(e):
    """Figs 4 and 5: error of a period's velocity against evaluations."""
    reference, rows, halved = follow(Newton(Box(), True), np.zeros(1), 2e-5, 1), [], {}
    for h in (10e-3, 3e-3, 1e-3, 0.3e-3, 0.1e-3):
        for tals in (False, True):
            r = follow(Newton(Box(), tals), np.zeros(1), h, 1)
            v = np.interp(r[:, 0], reference[:, 0], reference[:, 1])
            halved[h, tals] = r[-1, 4]
            rows.append([1e3 * h, "TALS" if tals else "none", *r[-1, 3:],
                         np.sqrt(np.mean((r[:, 1] - v)**2))])
    e.table("box", "Box, one period: full Newton of implicit Euler",
            ["step [ms]", "line search", "evaluations", "halved steps", "error [m/s]"], rows)
    e.holds("the box at 10 ms: steps without TALS do not all converge, with TALS all",
            halved[10e-3, False] > 0 and halved[10e-3, True] == 0)


def main():
    e = Experiment("implicit_mug", "P2 VI-A")
    box(e)
    h = e.run("tamsi", SCENE, {"contact.solver": "tamsi", "time.step": STEP, "time.end": END,
                               "output.format": "none", "output.every": STEP})
    number = len(h["time"]) - 1
    tamsi = number * e.summary("tamsi")["wall"]["step_median_ms"]
    curves = {"TAMSI": (np.linspace(0, tamsi, len(h["time"])), h["time"])}
    rows = [["TAMSI", e.summary("tamsi")["newton"]["mean"], 1.0, number, 0, tamsi, 1.0,
             np.interp(0.31, h["time"], h["mug.z"] - h["probe.hand.z"])]]
    for name, tals in (("implicit, TALS", True), ("implicit", False)):
        mug = Mug()
        r = follow(Newton(mug, tals), mug.start, STEP, END)
        way = np.interp(0.31, r[:, 0], r[:, 3])
        spent = 1e3 * np.median(mug.seconds) * r[:, -2]
        curves[name] = spent, r[:, 0]
        rows.append([name, r[-1, -3] / number, r[-1, -2] / number, r[-1, -2], r[-1, -1], spent[-1],
                     spent[-1] / tamsi, way])
    e.table("mug", f"Shaken mug, {END:g} s, steps of {1e3 * STEP:g} ms; P2: 25 and 55 times TAMSI",
            ["scheme", "iterations a step", "searches a step", "searches", "halved steps",
             "time [ms]", "over TAMSI", "slip forth [m]"], rows)
    e.head("P2 VI-A: TAMSI is faster than implicit Euler, which is faster with TALS than without")
    for row in rows:
        e.check(f"slip forth, {row[0]} [m]", row[-1], 0.01689566, rtol=0.03)
    e.holds(f"implicit Euler takes {rows[1][6]:.1f} times TAMSI's time with TALS, {rows[2][6]:.1f} "
            "without (P2: 25, 55)", 1 < rows[1][6] < rows[2][6])
    e.holds("all steps converge with TALS, not without", rows[1][4] == 0 and rows[2][4] > 0)

    def draw(a):
        for name, (spent, time) in curves.items():
            a.plot(spent, time, label=name)
        a.set_xscale("log")

    e.plot("fig7", draw, "Shaken mug, steps of 3 ms (P2 Fig 7)", "time of the computer [ms]",
           "time [s]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
