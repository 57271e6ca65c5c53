"""P0 XII-E: two FinRay fingers on an arm of seven joints put a peg into a holder.

The holder stands up to 2 mm beside where the task looks for it, by 20 seeds; its hole leaves 0.5 mm
around the peg.  Fingers of bricks with incompatible modes and of linear tetrahedra, which lock."""
import os

import numpy as np
from experiment import Experiment

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peg_in_hole.yaml")
FINGERS = ("left_finger", "right_finger")
MESHES = {"H8": {}, "T4": {f"soft.{f}.mesh.finray.pattern": "kuhn" for f in FINGERS}}
PAPER = {"contacts, mean": 73.9, "contacts, most": 114, "time a step [ms]": 24.5}
SEEDS = 20


def insert(e, mesh, seed):
    """Numbers of one run."""
    x, y = np.random.default_rng(seed).uniform(-2, 2, 2)
    label = f"{mesh}_{seed}"
    h = e.run(
        label,
        SCENE,
        {
            "rigid.holder.pose.position": f"[{450 + x:.4f} mm, {100 + y:.4f} mm, 0]",
            "time.end": "20 s",
            "output.every": "20 ms",
            "output.format": "none",
            **MESHES[mesh],
        },
    )
    summary = e.summary(label)
    phase, push = h["task.insert.phase"], -h["contact.peg.holder.fz"]
    grip = h["contact.left_finger.peg.fy"]
    return {
        "x": x,
        "y": y,
        "in": h["peg.z"][-1] < 0.0625 and np.hypot(h["peg.qx"][-1], h["peg.qy"][-1]) < 0.02,
        "push": np.max(push),
        "grip": np.max(np.abs(grip)),
        "legs": len(set(phase[(phase > 5) & (phase < 19)])),
        "contacts": np.mean(h["contacts"]),
        "most": np.max(h["contacts"]),
        "ms": summary["wall"]["step_mean_ms"],
    }


def main():
    e = Experiment("peg_in_hole", "P0 XII-E")
    rows, means = [], {}
    for mesh in MESHES:
        runs = []
        for seed in range(SEEDS):
            r = insert(e, mesh, seed)
            runs.append(r)
            rows.append([mesh, seed, r["x"], r["y"], str(r["in"]), r["push"], r["grip"], r["legs"]])
            e.say(f"  {mesh} seed {seed}: {'in' if r['in'] else 'NOT in'}")
        means[mesh] = {k: np.mean([r[k] for r in runs]) for k in runs[0]}
        means[mesh]["most"] = max(r["most"] for r in runs)
        means[mesh]["num"] = sum(r["in"] for r in runs)
    e.table(
        "seeds",
        "Every seed",
        ["mesh", "seed", "x [mm]", "y [mm]", "in", "push [N]", "grip [N]", "legs"],
        rows,
    )
    h8, t4 = means["H8"], means["T4"]
    e.table(
        "peg_in_hole",
        "The paper's arm is moved by hand and its search unknown: numbers of another motion",
        ["quantity", "P0", "H8", "T4"],
        [
            ["contacts, mean", 73.9, h8["contacts"], t4["contacts"]],
            ["contacts, most", 114.0, h8["most"], t4["most"]],
            ["time a step [ms]", 24.5, h8["ms"], t4["ms"]],
            ["pegs in the hole of 20", None, float(h8["num"]), float(t4["num"])],
            ["largest push on the holder, mean [N]", None, h8["push"], t4["push"]],
            ["grip of a finger, mean [N]", None, h8["grip"], t4["grip"]],
        ],
    )
    e.head("Seeds")
    e.holds("fingers of H8 put in 18 pegs of 20 or more", h8["num"] >= 18)
    e.holds("a step of fingers of H8 takes 20 ms or less", h8["ms"] <= 20)
    e.plot(
        "seeds",
        lambda a: [
            a.plot(
                [r[2] for r in rows if r[0] == mesh and (r[4] == "True") == good],
                [r[3] for r in rows if r[0] == mesh and (r[4] == "True") == good],
                mark,
                color=colour,
                label=f"{mesh}: {'in' if good else 'not in'}",
            )
            for mesh, colour in (("H8", "tab:blue"), ("T4", "tab:orange"))
            for good, mark in ((True, "o" if mesh == "H8" else "s"), (False, "x"))
        ],
        "Places of the holder",
        "x - 450 mm [mm]",
        "y - 100 mm [mm]",
    )
    e.finish()


main()
