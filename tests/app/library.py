"""Promises of the package supple, on an installed library: library.py EXAMPLES."""
import copy
import gc
import math
import os
import pickle
import resource
import signal
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
refuses(ValueError, "1 to 1024", supple.threads, 0)
refuses(ValueError, "1 to 1024", supple.threads, 10**12)
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

# Random starts: without a new model, checked for overlap, and refused whole.
sim = model.simulator()
start = sim.hash
sim.reset(pose={"cylinder": [0.002, 0, 0.026]}, joints={"gripper/lift": 0.05},
          velocity={"cylinder": [0, 0, 0.1, 0, 0, 0]}, friction={"left_finger+cylinder": 0.5})
assert np.allclose(sim.pose["cylinder"][:3], [0.002, 0, 0.026])
assert sim.velocity["cylinder"][2] == .1
assert sim.joint_position["gripper/lift"] == 0.05 and "cylinder" in list(sim.pose)
refuses(supple.InputError, "overlap of cylinder+floor by 5 mm", sim.reset,
        {"cylinder": [0, 0, 0.02]})
assert sim.hash == start
sim.reset(pose={"cylinder": [0, 0, 0.02]}, overlap=None)
assert math.isclose(sim.overlap["floor+cylinder"][0], 0.005)
refuses(supple.InputError, "did you mean 'cylinder'", sim.reset, {"cylindre": [0, 0, 1]})
refuses(supple.InputError, "takes 7 numbers", sim.assign, "pose", "cylinder", [1, 2])
refuses(supple.InputError, "no quantity of a state", sim.assign, "energy", "", [0] * 5)
refuses(TypeError, "numbers are needed", sim.assign, "pose", "cylinder", "here")
refuses(TypeError, "numbers are needed", sim.set, "target", "lift", None)
refuses(AttributeError, "no 'poses'", getattr, sim, "poses")
sim.reset()
sim.step(5)
kept, arrays, at = sim.state, sim.arrays(), sim.hash
report = sim.evaluate()
wrench = sim.read("pair_wrench", "floor+cylinder")
assert sim.hash == at and report.reason > 0 and report.as_dict()["num_contacts"] > 0
assert f"num_contacts={report.num_contacts}" in repr(report)
sim.step()
assert np.array_equal(wrench[:3], sim.read("pair_wrench", "floor+cylinder")[:3])
after = sim.hash
sim.state = kept
sim.step()
assert sim.hash == after and sim.time > 0
sim.assign_arrays(arrays)
assert all(np.array_equal(value, sim.read(*key)) for key, value in arrays.items())
refuses(supple.Error, "state", setattr, sim, "state", b"nothing")
sim.tune(dt=0.005)
sim.reset()
pulled = supple.load(os.path.join(sys.argv[1], "cable_finger.yaml"))
pulled.set("tension", "flexor", 0.5, duration=2 * pulled.dt)
pulled.step()
assert abs(pulled.observe("cable.flexor.tension") - 0.25) < 1e-9
refuses(supple.InputError, "set its tension", pulled.set, "length", "flexor", 0.1)
sim.release("lift")
table = sim.run(0.02, ["energy.kinetic"], every=2)
assert table.dtype.names == ("time", "energy.kinetic") and np.allclose(table["time"], [.01, .02])
assert sim.joint_velocity["gripper/lift"] < 0 and "energy.kinetic" in sim.observables()
refuses(ValueError, "not above 0", sim.tune, -1)
lines = supple.flat(patches[:2])
assert "force_z" in lines.dtype.names and all(lines.dtype[i].shape == () for i in range(len(lines.dtype)))

# Joints keep their limits; bodies that a constraint joins go together.
refuses(supple.InputError, "its limits are", sim.reset, {}, {"gripper/left": 10.0})
hand = supple.load(os.path.join(sys.argv[1], "linkage_gripper.yaml"))
at, lift = hand.hash, hand.read("joint_position", "hand/lift")
bars = {bar: hand.pose[bar] + [0, 0, 0.002, 0, 0, 0, 0] for bar in ("left_bar", "right_bar")}
refuses(supple.InputError, "'left_top' (hinge of", hand.reset, {}, {"hand/lift": lift + 0.002})
assert hand.hash == at
hand.reset(joints={"hand/lift": lift + 0.002}, pose=bars)

# Tables of runs, records and contacts are data frames of pandas, where it is there.
try:
    import pandas
except ImportError:
    pandas = None
if pandas:
    sim.reset()
    with tempfile.TemporaryDirectory() as folder, sim.record(folder):
        frame = pandas.DataFrame(sim.run(0.03, ["energy.kinetic", "cylinder.z"]))
        history = pandas.read_csv(os.path.join(folder, "history.csv"))
    assert list(frame) == ["time", "energy.kinetic", "cylinder.z"] and (frame.dtypes == float).all()
    both = history.round({"time": 9}).merge(frame.round({"time": 9}), on="time")
    assert len(both) > 2 and np.allclose(both["cylinder.z_x"], both["cylinder.z_y"], rtol=1e-7)
    table = pandas.DataFrame(supple.flat(sim.contacts()))
    assert len(table) == len(sim.contacts()) > 0 and table["force_z"].sum() != 0
    verdicts = pandas.DataFrame(sim.verdicts)
    assert set(verdicts["severity"]) <= {"PASS", "WARN"} and "remedy" in verdicts

# Names of all quantities and inputs, and a docstring for all that is public.
for name in supple.QUANTITIES + supple.INPUTS:
    assert name in supple.simulator.__doc__, name
for kind in (supple.Model, supple.Simulator, supple.Scene, supple.Mesh, supple.Batch, supple.Record):
    for key in dir(kind):
        member = getattr(kind, key)
        assert key.startswith("_") or member.__doc__ or not callable(member), (kind, key)

# Scenes by objects, texts and dicts are those of files; meshes are arrays.
ball = "supple: 1\ntime: {step: 1 ms, end: 1 s}\nrigid:\n  b: {shape: {sphere: {radius: 0.01}}, mass: 1}\n"
built = supple.Scene(time={"step": "1 ms", "end": "1 s"})
built.rigid("b", shape={"sphere": {"radius": np.float64(0.01)}}, mass=1)
falls = [supple.load(source) for source in (ball, built, built.keys, built.to_yaml())]
for one in falls:
    one.step(10)
assert len({one.hash for one in falls}) == 1
assert pickle.loads(pickle.dumps(falls[0])).hash == falls[0].hash
refuses(supple.InputError, "has 'b' already", built.rigid, "b")
assert "mass: Mass.  a mass, positive; default: needed unless" in supple.Scene.rigid.__doc__
assert len(supple.KEYS) > 600 and supple.KEYS["soft.mesh.finray.wall"].example == "2 mm"
assert all(key.meaning and key.value for key in supple.KEYS.values())
refuses(supple.InputError, "no section 'rigit'", supple.Scene, {"rigit": {}})
refuses(supple.InputError, "scene:2", supple.load, "supple: 1\nrigit: {}\n")
refuses(TypeError, "not set", supple.load, {"rigid": {1, 2}})
refuses(supple.InputError, "[m x 4, 5, 6, 8 or 10]", supple.Mesh, np.eye(3), [[0, 1, 2]])
refuses(supple.InputError, "other ones", supple.Mesh, np.eye(3), [[0, 1, 2, 3]])
sys.path.insert(0, os.path.join(sys.argv[1], "python"))
import grasp_env
import study

table = study.study([2e4, 4e4])
assert (0.0195 < table["height_m"]).all() and (table["height_m"] < 0.02).all()
assert table["height_m"][0] < table["height_m"][1]
env = grasp_env.GraspEnv(model, horizon=3)
one, two = env.reset(seed=1), env.reset(seed=1)
assert np.array_equal(one[0], two[0]) and not np.array_equal(one[0], env.reset()[0])
seen, reward, ended, truncated, _ = env.step([1, 0])
assert seen.shape == (9,) and not ended and np.isfinite(reward)

# A batch steps as one does, and a step without a solution is told of its own simulation.
with supple.Batch(ball, 3, threads=2) as batch:
    batch.assign("velocity", "b", np.outer(np.arange(3.0), [1, 0, 0, 0, 0, 0]))
    assert batch.step(10).all()
    assert np.allclose(batch.read("pose", "b")[:, 0], 0.01 * np.arange(3))
    alone = supple.load(ball)
    alone.step(10)
    assert batch[0].hash == alone.hash
    batch.reset(which=[1], start=lambda i: {"pose": {"b": [i, 0, 0]}})
    assert np.allclose(batch.observe("energy.kinetic")[1], 0)
    refuses(supple.InputError, "values of 3", batch.assign, "pose", "b", np.zeros((2, 7)))
    batch.step(which=np.array([True, False, True]))
    assert [sim.steps for sim in batch] == [11, 0, 11]
    batch.assign("pose", "b", np.full((2, 7), 0.5), which=(i for i in (0, 2)))
    assert np.allclose(batch.read("pose", "b")[:, 1], [0.5, 0, 0.5])
    assert batch.read("pose", "b", which=[]).shape == (0, 7)
    for which in ([1.7], "01"):
        refuses(TypeError, "which", batch.step, 1, which)
    for which in ([3], [-1], [1, 1]):
        refuses(supple.InputError, "which: 0 to 2", batch.step, 1, which)
    refuses(supple.InputError, "simulation 1: ", batch.assign, "pose", "b",
            np.array([[0.0] * 6 + [1]] + [[np.nan] * 7] + [[0.0] * 6 + [1]]))

    # Two threads that take from each other go on.
    def take(one, other):
        for _ in range(200):
            one.take(other)
    pair = [threading.Thread(target=take, args=(batch[i], batch[1 - i])) for i in range(2)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join(30)
        assert not thread.is_alive()

# Copies keep what was tuned, names of quantities are no attributes, tables have known columns.
tuned = supple.load(ball)
tuned.tune(dt=0.005)
assert copy.copy(tuned).dt == pickle.loads(pickle.dumps(tuned)).dt == 0.005
refuses(TypeError, "pose is of things", setattr, tuned, "pose", [0, 0, 0])
refuses(supple.InputError, "is [1, 7], not [2, 7]", tuned.assign, "pose", "b", np.zeros((2, 7)))
refuses(TypeError, "list of names", tuned.run, 1, "energy.total")
refuses(supple.InputError, "no observable 'x'", tuned.run, 1, ["x"])
assert tuned.time == 0 and tuned.run(0.01, ["time", "energy.total"]).dtype.names[0] == "time"

# A scene has keys of its own, texts of any letters, and is pickled with its meshes.
keys = {"time": {"step": "5 ms", "end": 1}, "title": "höher \U0001f600", "rigid": {}}
parts = supple.Scene(keys).rigid("a", shape={"sphere": {"radius": 0.1}}, mass=1)
assert keys["rigid"] == {} and parts.simulator().names("body") == ["a"]
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
rubber = {"r": {"youngs_modulus": 1e5, "poissons_ratio": 0.3, "density": 1000}}
parts = supple.Scene(time={"step": "5 ms", "end": 1}, materials=rubber)
lone = parts.soft("c", mesh=supple.Mesh(corners, [[0, 1, 2, 3]]), material="r").simulator()
packed, was = pickle.dumps(lone), lone.hash
del lone, parts
assert pickle.loads(packed).hash == was
refuses(supple.InputError, "materials is a list", supple.Scene(materials=["m.yaml"]).material, "r")

with supple.Batch(model, 2, threads=2) as batch:
    batch.set("wrench", "cylinder", np.full((1, 6), 1e300), which=[1])
    assert batch.step().tolist() == [True, False] and "step 1" in str(batch.errors[1])
    pid = os.fork()  # a batch goes on in the child of a process
    if pid == 0:
        signal.alarm(20)
        os._exit(not batch.step(which=[0]).all())
    assert os.waitpid(pid, 0)[1] == 0

# A text with a zero, a name of the scene and complex points are errors; Ctrl-C ends load steps.
for call, words in ((tuned.observe, ["time\0x"]), (tuned.find, ["body", "b\0"]),
                    (tuned.save, ["/tmp\0"]), (tuned.record, ["/tmp\0"])):
    refuses(supple.InputError, "has a zero byte", call, *words)
refuses(supple.InputError, "the scene has no name", tuned.set, "gravity", "x", [0, 0, 1])
refuses(TypeError, "complex", supple.Mesh, 1j * np.eye(3), [[0, 1, 2, 3]])
balloon = supple.load(os.path.join(sys.argv[1], "balloon.yaml"))
signal.signal(signal.SIGINT, signal.default_int_handler)  # which nohup and shells take away


def stopped(call, *arguments):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    call(*arguments)


refuses(KeyboardInterrupt, "stopped at", stopped, lambda: balloon.equilibrate(steps=5000))
assert balloon.time < 1

refuses(TypeError, "simulator_set: argument 6", tuned.set, "gravity", "", [0, 0, 1], None)
refuses(TypeError, "a name is a str", tuned.jacobian, None, [0, 0, 0])
refuses(TypeError, "numbers are needed", tuned.tune, "x")

# Steps of controlled length end at the end of a run; what a run is interrupted by is raised.
vary = supple.load(ball, **{"time.accuracy": 1e-3, "time.max_step": 0.07})
assert vary.run(0.1, ["b.z"])["time"][-1] == vary.time == 0.1
refuses(supple.InputError, "chooses the lengths of steps", vary.tune, 0.01)
refuses(KeyboardInterrupt, "stopped at", stopped, model.simulator().run, 1e3)

# Frequencies of a block on springs.
hung = supple.load(ball + "springs: {s: {bodies: [world, b], stiffness: [400, 1600, 3600]}}\n")
assert np.allclose(hung.modes(6).frequency[3:] * 2 * np.pi, [20, 40, 60])
assert hung.modes(6)["mass"].shape == (6, 3) and (hung.modes(6).omega2[:3] == 0).all()
refuses(supple.InputError, "found 0 modes", hung.modes, 0)

# A record has the files of a run and its verdicts, of texts too.
with tempfile.TemporaryDirectory() as folder:
    seen = supple.load(ball)
    with seen.record(os.path.join(folder, "a")) as record:
        seen.step(3)
        assert [v.severity for v in record.verdicts if v.name == "momentum_error"] == ["PASS"]
        refuses(supple.InputError, "finish the record", seen.reset)
        refuses(supple.InputError, "recorded already", seen.record)
    assert seen.verdicts == record.verdicts and all(isinstance(v.value, float) for v in seen.verdicts)
    assert len(open(os.path.join(folder, "a", "history.csv")).readlines()) == 5
    refuses(supple.InputError, "record is finished", record.frame)
    refuses(supple.Error, "summary.json", seen.record, os.path.join(folder, "a", "summary.json"))
    seen.reset()
    record = seen.record(os.path.join(folder, "b"))
    circle = [seen, record]
    circle.append(circle)
    del seen, record, circle
    gc.collect()
    assert '"completed"' in open(os.path.join(folder, "b", "summary.json")).read()
refuses(supple.InputError, "sim.record()", getattr, supple.load(ball), "verdicts")
assert supple.__version__[0].isdigit()

# Starts take no memory.
many, starts = model.simulator(), 10000
for i in range(starts):
    many.reset(pose={"cylinder": [1e-3 * (i % 2), 0, 0.025]},
               joints={"gripper/lift": 1e-3 * (i % 3)})
    if i == starts // 5:
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown
assert grown < 1000, f"{starts} resets took {grown} kB"

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
