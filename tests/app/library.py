"""What supple.py promises, on an installed library: library.py EXAMPLES."""
import gc
import math
import os
import sys
import tempfile

import numpy as np

import supple

supple.threads(1)
model = supple.Model(os.path.join(sys.argv[1], "finray_grasp.yaml"),
                     **{"actuators.close_left.targets": "[[0, 0], [0.1, 30 mm]]",
                        "actuators.close_right.targets": "[[0, 0], [0.1, 30 mm]]",
                        "actuators.lift.targets": "[[0, 0]]",
                        "robots.gripper.joints.lift": "0"})
sim = model.simulator()
x = sim.vertices("left_finger")
before, first = x.copy(), sim.hash
sim.step(30)
assert np.shares_memory(x, sim.vertices("left_finger")) and abs(x - before).max() > 1e-3
assert not x.flags.writeable
straight = sim.hash

sim.reset()
assert sim.hash == first and sim.time == 0 and np.array_equal(x, before)
sim.step(10)
other = model.simulator()
other.take(sim)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "state.bin")
    sim.save(path)
    sim.step(20)
    other.step(20)
    assert sim.hash == other.hash == straight
    sim.restore(path)
sim.step(20)
assert sim.hash == straight

patches = sim.contacts("left_finger+cylinder")
assert len(patches) > 5 and (patches.area > 0).all()
assert np.allclose(patches.traction * patches.area[:, None], patches.force)
names = sim.names("pair")
sign = 1 if "left_finger+cylinder" in names else -1
force = sim.read("pair_wrench", "left_finger+cylinder")[:3]
assert np.allclose(patches.force.sum(axis=0), force)
assert math.isclose(sim.observe("contact.left_finger.cylinder.fx"), sign * force[0], rel_tol=1e-9)
assert np.allclose(sim.read("vertex_forces", "left_finger").sum(axis=0),
                   sim.read("resultant", "left_finger")[:3], atol=1e-8)
assert sim.read("vertex_stress", "left_finger").shape == (len(x), 6)
assert sim.cells("left_finger").max() == len(x) - 1
M = sim.mass_matrix("gripper")
assert M.shape == (3, 3) and np.allclose(M, M.T) and (np.linalg.eigvalsh(M) > 0).all()
J, v = sim.jacobian("gripper/left_jaw"), sim.read("tree_velocity", "gripper")
assert np.allclose(J @ v, sim.read("velocity", "gripper/left_jaw"))
try:
    sim.read("pose", "cylindre")
    raise AssertionError("a wrong name was taken")
except supple.Error as error:
    assert "cylinder" in str(error)
assert sim.dt == 0.01 and supple.OBJECTS.index("pair") >= 0 and "target" in supple.INPUTS
nothing = model.simulator().contacts("left_finger+cylinder")
assert len(nothing) == 0 and nothing.area.sum() == 0

# An array goes on living when nobody else has the simulation any more.
kept = model.simulator().vertices("left_finger")
gc.collect()
assert np.array_equal(kept, before)

told = []
supple.log(lambda level, message: told.append((level, message)))
supple.Model(os.path.join(sys.argv[1], "finray_grasp.yaml"), **{"time.step": "50 ms"})
supple.log(None)
assert all(level in (0, 1) and message for level, message in told)
del sim, other, model, x, patches, nothing, kept
gc.collect()

# The plug-in stands beside the library: the program that runs is Python's own.
if os.path.exists(os.path.join(sys.argv[1], "..", "..", "..", "lib", "supple", "supple-petsc.so")):
    model = supple.Model(os.path.join(sys.argv[1], "soft_cube_drop.yaml"),
                         **{"solver.backend": "petsc"})
    model.simulator().step(2)
