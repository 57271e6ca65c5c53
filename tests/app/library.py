"""What supple.py promises, on an installed library: library.py EXAMPLES."""
import copy
import gc
import math
import os
import pickle
import sys
import tempfile
import threading

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

# Copies and pickles are independent and go on with the same bits.
for twin in (copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))):
    assert twin.hash == sim.hash
    twin.step(2)
    assert twin.hash != sim.hash
    last = twin
sim.step(2)
assert last.hash == sim.hash

# Threads take turns; a closed simulator says so, and its arrays stay.
workers = [threading.Thread(target=last.step, args=(5,)) for _ in range(3)]
[w.start() for w in workers], [w.join() for w in workers]
sim.step(15)
assert last.hash == sim.hash
with model.simulator() as brief:
    cells, bones = brief.cells("left_finger"), brief.vertices("left_finger")
fine = cells.sum()
assert "closed" in repr(brief) and "finray_grasp" in repr(sim)
del brief
gc.collect()
assert cells.sum() == fine and not cells.flags.writeable and np.array_equal(bones, before)


def refuses(kind, words, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"no {kind.__name__} of '{words}'")


closed = model.simulator()
closed.close()
refuses(ValueError, "closed", closed.step)
refuses(supple.InputError, "known: pose", sim.read, "poses", "cylinder")
refuses(supple.InputError, "known: ", sim.names, "bodies")
refuses(supple.InputError, "known: ", sim.set, "targt", "lift", 0)
refuses(supple.InputError, "did you mean 'cylinder'", sim.read, "pose", "cylindre")
refuses(supple.InputError, "not finite", sim.set, "target", "lift", math.nan)
refuses(TypeError, "a name is a str", sim.read, "pose", 3)
refuses(TypeError, "a name is a str", sim.observe, None)
refuses(TypeError, "a Simulator is needed", sim.take, None)
refuses(TypeError, "is made of a Model", supple.Simulator, "scene.yaml")
refuses(ValueError, "0 or more", sim.step, -5)
refuses(TypeError, "", sim.step, 2.5)
refuses(ValueError, "1 or more", supple.threads, 0)
refuses(ValueError, "3 numbers", sim.jacobian, "gripper/left_jaw", (0, 0))
refuses(supple.Error, "cannot read", supple.load, "/nonexistent.yaml")
heavy = model.simulator()
heavy.set("wrench", "cylinder", [1e300] * 6)
refuses(supple.Error, "step 1", heavy.step)

# Values of keys are what Python has.
drop = os.path.join(sys.argv[1], "soft_cube_drop.yaml")
plain = supple.load(drop, gravity="[0, 0, -1]")
same = supple.load(drop, gravity=np.array([0.0, 0.0, -1.0]), **{"time.step": plain.dt})
assert plain.hash == same.hash
plain.step(3), same.step(3)
assert plain.hash == same.hash

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
