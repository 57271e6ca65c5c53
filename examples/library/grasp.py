"""A FinRay gripper closes on a cylinder by force, as examples/library/grasp.c, through Python.

    python3 grasp.py share/supple/examples/finray_grasp.yaml 500
"""
import sys

import supple

scene = sys.argv[1] if len(sys.argv) > 1 else "examples/finray_grasp.yaml"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 500
WANTED, SPEED = 2.0, 0.03  # [N], [m/s]

supple.threads(1)
sim = supple.load(scene)
sides = {"close_left": "left_finger+cylinder", "close_right": "right_finger+cylinder"}
target, load = dict.fromkeys(sides, 0.0), dict.fromkeys(sides, 0.0)
for i in range(steps):
    for drive, pair in sides.items():
        rate = max(-1.0, min(1.0, WANTED - load[drive])) * SPEED
        if sim.time > 0.5:
            target[drive] += rate * sim.dt
        sim.set("target", drive, target[drive], duration=sim.dt)
    sim.step()
    for drive, pair in sides.items():
        patches = sim.contacts(pair)
        load[drive] = float(sum(patches["pressure"] * patches["area"]))

print(f"{sim.time:.2f} s: the fingers press with {load['close_left']:.3f} N and "
      f"{load['close_right']:.3f} N, the cylinder is at {sim.read('pose', 'cylinder')[2]:.4f} m, "
      f"hash {sim.hash:016x}")
