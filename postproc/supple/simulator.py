"""Models, and simulations of them.

Quantities that are read, [rows x width], in world axes and SI units; n vertices, c cells, nq and nv
numbers of a tree's or joint's position and velocity.  With * they are assigned, too.

    of a body      pose* [7]: x y z, qw qx qy qz (soft: centre of mass; assigned: turned from now)
                   velocity* [6]: of that point [m/s], angular [rad/s] (soft: of the rigid motion
                   with its momentum)
                   resultant [6]: contact forces [N], moment about that point [N m]
    of a tree      tree_position* [nq], tree_velocity* [nv], tree_effort [nv] [N, N m]
    of a joint     joint_position* [nq] [m, rad], joint_velocity* [nv], joint_effort [nv] [N, N m]
    of a soft one  vertices* [n x 3] [m], vertex_velocities* [n x 3] [m/s],
                   vertex_forces [n x 3] of contact [N]
                   vertex_stress [n x 6]: xx yy zz xy yz xz [Pa], cell_stress [c x 9] [Pa]
                   von_mises [c x 1] [Pa], energy_density [c x 1] [J/m^3], volume_ratio [c x 1]
                   attachment [links x 6]: on each link that carries it [N, N m]
    of a hold      reaction [6]: on the soft body [N, N m]
    of a pair A+B  pair_wrench [6]: on B [N, N m]; overlap [2]: by geometry [m], over the thickness
                   pair_contact [4]: contacts, area [m^2], sum of |f_n| [N], deepest overlap [m]
    of the scene   energy [5]: kinetic, elastic, potential, contact, sum [J]; gravity [3] [m/s^2]
    of a probe     probe_position [3] [m]

Inputs that are set: target [1] of an actuator [m, rad]; base [6] of a tree and hold [6], as
displacement and rotation vector [m, rad]; traction [1]; force [3], torque [3] of a load; effort
[nv] of a joint [N, N m]; wrench [6] of a body [N, N m]; vertex_force [n x 3] [N]; gravity [3]
[m/s^2]; limit [1] of an actuator's effort [N, N m], 0: it is off; gains [2]: kp, kd; friction [2]
of a pair; pressure [1] of a chamber or the source of its inlet, over ambient [Pa], volume [1] of
its liquid [m^3], amount [1] of its gas over that at time 0; tension [1] of a cable [N] or its
length [1] [m].
"""
import ctypes as c
import operator
import os
import tempfile
import threading
import weakref
from typing import Dict, Iterable, Optional, Tuple, Union

import numpy as np

from .library import (INPUT_NUMBERS, MODE, NONE, OBJECT_NUMBERS, PATCH, QUANTITIES,
                      QUANTITY_NUMBERS, Array, InputError, Owned, Report, StepReport, call,
                      double_p, encoded, int_p, interrupts, lib, number_of, path_of, text_p, void_p)
from .record import Record
from .scene import Scene

_STATE = ("tree_position", "tree_velocity", "vertices", "vertex_velocities")
_STOP = c.CFUNCTYPE(int_p, void_p, void_p, void_p)


class IkReport(Report):
    """sup_ik_report of supple/kinematics.h; `at_limit` has `num_at_limit` links of the tree."""
    _fields_ = [("is_reached", c.c_int), ("num_joints", c.c_int), ("tries", c.c_int),
                ("iterations", c.c_int), ("position_error", c.c_double),
                ("rotation_error", c.c_double), ("num_at_limit", c.c_int),
                ("at_limit", c.c_int * 16)]


class Model:
    """A scene and the constant model of it; any number of simulators may share it."""

    def __init__(self, source: Union[str, os.PathLike, dict, Scene], **sets):
        """source: the path of a scene file, a text (with a newline), a dict or a Scene.

        Keys of the scene may be given other values, as texts, numbers, lists, dicts or arrays:
        Model(path, **{"time.step": "5 ms"})."""
        self._owned = Owned("scene"), Owned("model")
        self._scene, self._model = (owned.at for owned in self._owned)
        self._source = Scene(source) if isinstance(source, dict) else source
        if isinstance(self._source, Scene):
            source = self._source.to_yaml()
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError("a scene is a path, a text, a dict or a Scene, not "
                            f"{type(source).__name__}")
        path = os.fsdecode(path_of(source))
        is_scene = isinstance(self._source, Scene)
        self._made_of = (self._source if is_scene else path if "\n" in path
                         else os.path.abspath(path)), sets
        self._values = Scene()  # has the files of meshes
        words = [encoded(f"{key}={self._values.text_of(value)}") for key, value in sets.items()]
        call("scene_load", c.byref(self._scene), path_of(path),
              (text_p * len(words))(*words), len(words))
        call("model_create", c.byref(self._model), lib.sup_scene_model_def(self._scene))
        self._overlaps = None  # of the start, once a reset asked for them
        self.end_time = lib.sup_scene_end_time(self._scene)

    def simulator(self) -> "Simulator":
        """A simulation at time 0."""
        return Simulator(self)

    def __copy__(self):
        return self  # it is constant

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _load_model, self._made_of


class _Assignment(c.Structure):
    _fields_ = [("quantity", c.c_int), ("handle", c.c_int), ("value", c.c_void_p),
                ("count", c.c_int)]


class Quantity:
    """A quantity by names: sim.pose["box"]; those of the state can be assigned, too."""

    def __init__(self, simulator, quantity):
        self._simulator, self._quantity = simulator, quantity
        self._kind = list(OBJECT_NUMBERS)[lib.sup_quantity_object(QUANTITY_NUMBERS[quantity])]

    def __call__(self, name: str = "") -> np.ndarray:
        """The simulation's own memory: Simulator.view."""
        return self._simulator.view(self._quantity, name)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._simulator.read(self._quantity, name)

    def __setitem__(self, name: str, value):
        self._simulator.assign(self._quantity, name, value)

    def __iter__(self):
        return iter(self._simulator.names(self._kind))

    def __repr__(self):
        return f"<{self._quantity} of {', '.join(self)}>"


class Simulator:
    """A simulation at time 0.

    Calls from several threads take turns.  copy.copy makes another one in the same state of the
    same model; pickle takes the file's path, the keys and the state.  After close(), or a `with`,
    calls are errors, arrays stay."""

    def __init__(self, model):
        if not isinstance(model, Model):
            raise TypeError(f"a simulator is made of a Model, not of {type(model).__name__}")
        self._model, self._owned, self._handles = model, Owned("simulator", *model._owned), {}
        self._own = self._owned.at
        self._lock, self._is_closed, self._tuned = threading.RLock(), False, {}
        self._record = lambda: None
        call("scene_simulator_create", c.byref(self._own), model._scene, model._model)

    @property
    def _sim(self):
        if self._is_closed:
            raise ValueError("the simulator is closed")
        return self._own

    def _call(self, name, *arguments):
        with self._lock:
            call(name, self._sim, *arguments)

    def close(self) -> None:
        """Calls are errors from now on; arrays stay."""
        self._is_closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __copy__(self):
        other = Simulator(self._model)
        other.tune(**self._tuned)
        other.take(self)
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _load_simulator, (self._model, self.state, self._tuned)

    def __repr__(self):
        if self._is_closed:
            return "<supple.Simulator, closed>"
        source = self._model._made_of[0]
        source = "a Scene" if isinstance(source, Scene) else "a text" if "\n" in source else source
        return f"<supple.Simulator of {source} at {self.time:.6g} s>"

    def __getattr__(self, name: str) -> Quantity:
        if name in QUANTITY_NUMBERS:
            return Quantity(self, name)
        raise AttributeError(f"a Simulator has no '{name}'")

    def __setattr__(self, name, value):
        if name in QUANTITY_NUMBERS:
            raise TypeError(f"{name} is of things: sim.{name}[NAME] = ..")
        super().__setattr__(name, value)

    def __dir__(self):
        return [*super().__dir__(), *QUANTITIES]

    @property
    def time(self) -> float:
        """Time of the state [s]."""
        return lib.sup_simulator_time(self._sim)

    @property
    def dt(self) -> float:
        """Length of its steps, of controlled ones that of the first [s]."""
        return lib.sup_simulator_step_size(self._sim)

    @property
    def steps(self) -> int:
        """Steps done since time 0."""
        return lib.sup_simulator_steps(self._sim)

    @property
    def hash(self) -> int:
        """Hash of the whole state, with what steps know of the way to it: what `assign` forgets.
        Equal states have equal hashes on every machine and number of threads."""
        return lib.sup_state_hash(lib.sup_simulator_state(self._sim))

    def step(self, count: int = 1) -> StepReport:
        """Steps of dt; the report of the last one.  NotConverged: the state before that step."""
        if operator.index(count) < 0:
            raise ValueError(f"step: {count} steps; 0 or more are possible")
        report = StepReport()
        for _ in range(count):
            self._call("simulator_step", c.byref(report))
        return report

    def run(self, end: float, columns: Iterable[str] = (), every: int = 1) -> np.ndarray:
        """Steps up to the time `end` [s], at which those of controlled length end; a structured
        array of `time` and columns of history.csv (`observables`), a row each `every` steps:
        pandas.DataFrame takes it."""
        if not np.isfinite(_numbers(end)).all() or operator.index(every) < 1:
            raise ValueError(f"run: to {end} s, a row each {every} steps; both must be positive")
        if isinstance(columns, str):
            raise TypeError(f"run: columns are a list of names, not the text {columns!r}")
        columns, rows = [key for key in dict.fromkeys(columns) if key != "time"], []
        for key in columns:
            self._observable(key)
        failed = []

        def told(*_):
            try:
                if self.steps % every == 0:
                    rows.append((self.time, *map(self.observe, columns)))
            except BaseException as error:  # which cannot pass through the library
                failed.append(error)
            self._lock.release()  # other threads take turns
            self._lock.acquire()
            return len(failed) + len(stops)

        with interrupts() as stops:
            try:
                self._call("simulator_run", end, c.cast(_STOP(told), void_p), None)
            except KeyboardInterrupt:
                if failed:
                    raise failed[0] from None
                raise
        return np.array(rows, [(key, float) for key in ("time", *columns)])

    def record(self, folder: Optional[str] = None) -> Record:
        """Write files of the steps from now on as `supple run` does, by the scene's `output`, and
        make its verdicts; folder None: verdicts alone.  `supple share FOLDER` makes a page of them,
        postproc/render.py FOLDER a picture.

            with sim.record("out/lift") as record:
                sim.run(0.5)
            [v.text for v in record.verdicts if v.severity != "PASS"]"""
        record = Record(self, folder)
        self._record = weakref.ref(record)
        return record

    @property
    def verdicts(self) -> list:
        """Verdicts of the record, or of the last one that was finished: `Record.verdicts`."""
        record = self._record()
        if record is None:
            raise InputError(1, "verdicts are of a record, which there is none: record = "
                                "sim.record() before the steps")
        return record.verdicts

    def evaluate(self) -> StepReport:
        """Forces and contacts at the state: what is read next is of the step from here, which is
        not made."""
        report = StepReport()
        self._call("simulator_evaluate", c.byref(report))
        return report

    def modes(self, number: int = 10, loaded: bool = False) -> np.recarray:
        """Eigenmodes of the lowest frequencies about the state, which does not count as moving, as
        a record array: frequency [Hz], damping [-], mass [3] [kg], effective along x, y, z; omega2
        [rad^2/s^2], 0: a rigid motion; body, of most of the motion: its tree or soft body, counted
        behind the trees; share of it [-].  loaded: about an equilibrium (`equilibrate`) with its
        loads, else without gravity and loads.  None below the last is missed."""
        chosen = lib.sup_scene_static_options(self._model._scene)
        found, count = np.zeros(max(operator.index(number), 0), MODE), int_p()
        self._call("simulator_modes", c.byref(chosen), bool(loaded), len(found), found.ctypes.data,
                   c.byref(count))
        return found[:count.value].view(np.recarray)

    def equilibrate(self, **options) -> None:
        """Load steps to the static equilibrium, with keys of StaticOptions: end [s], steps,
        tolerance [-], ramp; those of the scene otherwise."""
        chosen = lib.sup_scene_static_options(self._model._scene)
        for key, value in options.items():
            if key not in ("end", "steps", "tolerance", "ramp"):
                raise InputError(1, f"equilibrate has no '{key}'; known: end, steps, tolerance, "
                                    "ramp")
            setattr(chosen, key, value)

        with interrupts() as told:
            stop = _STOP(lambda *_: len(told))
            self._call("simulator_equilibrate", c.byref(chosen), c.cast(stop, void_p), None)

    def assign(self, quantity: str, name: str, value) -> None:
        """Set a position or velocity of the state, in the shape that `read` has; soft bodies go
        with the links that carry them.  Joints beyond limits, and constraints that would be torn,
        are an InputError.  The same: sim.pose["box"] = [..]."""
        self.assign_arrays({(quantity, name): value})

    def assign_arrays(self, arrays: Dict[Tuple[str, str], np.ndarray]) -> None:
        """Set several positions and velocities together, {(quantity, name): value}, as `arrays`
        gives them: all, or with an error none.  Bodies that are joined, and joints of loops, go
        together."""
        rows, kept = (_Assignment * len(arrays))(), []
        for row, ((quantity, name), value) in zip(rows, arrays.items()):
            number = number_of(QUANTITY_NUMBERS, "quantity", quantity)
            kept.append(_numbers(value))
            handle = self.find(lib.sup_quantity_object(number), name)
            shape, has = np.shape(value), self.view(quantity, name).shape
            if len(shape) > 1 and shape != has:
                raise InputError(1, f"{quantity} of '{name}' is {list(has)}, not {list(shape)}")
            row.quantity, row.handle = number, handle
            row.value, row.count = kept[-1].ctypes.data, kept[-1].size
        self._call("simulator_assign_all", rows, len(rows))

    def reset(self, pose: Dict[str, Iterable[float]] = {}, joints: Dict[str, float] = {},
              velocity: Dict[str, Iterable[float]] = {}, friction: Dict[str, float] = {},
              overlap: Optional[float] = 0.01) -> None:
        """Back to time 0 without inputs, and there other values.

        pose: [7] or the place [3] of bodies.  joints: positions "ROBOT/JOINT" [m, rad].  velocity:
        [6] of bodies.  friction: coefficient, or [sliding, at rest], of pairs "A+B".  overlap: part
        of the thickness of the thinner body by which bodies may overlap where they do not at the
        scene's start; an InputError names those that do more, and the state is that start.  None:
        they may.  Joints keep their limits, constraints their places: give all bodies of one."""
        self._call("simulator_reset")
        if not (pose or joints or velocity or friction):
            return
        try:
            arrays = {("joint_position", name): q for name, q in joints.items()}
            for name, X in pose.items():
                X = _numbers(X)
                if X.size == 3:
                    X = np.append(X, self.read("pose", name)[3:])
                arrays["pose", name] = X
            arrays.update({("velocity", name): v for name, v in velocity.items()})
            self.assign_arrays(arrays)
            for name, mu in friction.items():
                self.set("friction", name, np.broadcast_to(_numbers(mu), 2))
            if overlap is not None and (pose or joints):
                self._check_overlap(overlap)
        except Exception:
            self._call("simulator_reset")
            raise

    def _overlaps(self):
        """[pairs x 2] depth [m], over the thickness [-]."""
        pairs = lib.sup_simulator_count(self._sim, OBJECT_NUMBERS["pair"])
        array = Array()
        if not pairs:
            return np.zeros((0, 2))
        self._call("simulator_read", QUANTITY_NUMBERS["overlap"], 0, c.byref(array))
        return np.array(self._pin(double_p, array.data, (pairs, 2)))

    def _check_overlap(self, most):
        if self._model._overlaps is None:
            self._model._overlaps = self._model.simulator()._overlaps()
        overlaps, start = self._overlaps(), self._model._overlaps
        worse = np.flatnonzero((overlaps[:, 1] > most) & (overlaps[:, 0] > start[:, 0]))
        if len(worse):
            deep = worse[np.argmax(overlaps[worse, 1])]
            depth, share = overlaps[deep]
            raise InputError(1, f"overlap of {self.names('pair')[deep]} by {1e3 * depth:.4g} mm, "
                                f"{100 * share:.3g} % of the thinner one; at most {100 * most:g} % "
                                "are allowed (overlap=None: any)")

    def tune(self, dt: Optional[float] = None, tolerance: Optional[float] = None) -> None:
        """Other steps [s], another tolerance of the momentum error [-]; None: as it is.  Steps of
        controlled length (time.accuracy) take no dt."""
        for value in (dt, tolerance):
            if value is not None and not _numbers(value).item() > 0:
                raise ValueError(f"tune: {value} is not above 0")
        self._call("simulator_tune", dt or 0, tolerance or 0)
        new = {"dt": dt, "tolerance": tolerance}
        self._tuned.update({key: value for key, value in new.items() if value is not None})

    def release(self, actuator: str) -> None:
        """Switch a drive off; clear(), or set("limit", actuator, 1e99), switches it on."""
        self.set("limit", actuator, 0.0)

    @property
    def state(self) -> bytes:
        """The whole state as bytes, inputs too; assigned, steps go on with equal bits."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    @state.setter
    def state(self, state: bytes):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            with open(path, "wb") as file:
                file.write(state)
            self.restore(path)

    def arrays(self) -> Dict[Tuple[str, str], np.ndarray]:
        """Positions and velocities of all trees and soft bodies by (quantity, name), yours."""
        return {(quantity, name): self.read(quantity, name) for quantity in _STATE
                for name in getattr(self, quantity)}

    def take(self, other: "Simulator") -> None:
        """Go on from another simulation of the same model."""
        if not isinstance(other, Simulator):
            raise TypeError(f"take: a Simulator is needed, not {type(other).__name__}")
        first, second = sorted((self, other), key=id)  # two threads take the locks in one order
        with first._lock, second._lock:
            self._call("simulator_set_state", lib.sup_simulator_state(other._sim))

    def save(self, path: str) -> None:
        """Write the whole state to a file."""
        self._call("simulator_save", path_of(path))

    def restore(self, path: str) -> None:
        """Go on from such a file, with equal bits."""
        self._call("simulator_restore", path_of(path))

    def find(self, kind: str, name: str) -> int:
        """The handle of an object."""
        key = kind, name
        if name and kind in ("scene", OBJECT_NUMBERS["scene"]):
            raise InputError(1, f"the scene has no name, found '{name}': it is \"\"")
        if key not in self._handles:
            handle = int_p()
            number = kind if isinstance(kind, int) else number_of(OBJECT_NUMBERS, "kind", kind)
            self._call("simulator_find", number, encoded(name), c.byref(handle))
            self._handles[key] = handle.value
        return self._handles[key]

    def names(self, kind: str) -> list:
        """Names of the things of a kind (OBJECTS)."""
        text, number = c.create_string_buffer(300), number_of(OBJECT_NUMBERS, "kind", kind)
        return [lib.sup_simulator_name(self._sim, number, i, text, len(text)).decode()
                for i in range(lib.sup_simulator_count(self._sim, number))]

    def view(self, quantity: str, name: str = "") -> np.ndarray:
        """An array [rows x width] of the simulation's own memory: of positions and velocities
        always those of now, of the others as they were read last."""
        number, array = number_of(QUANTITY_NUMBERS, "quantity", quantity), Array()
        handle = self.find(lib.sup_quantity_object(number), name)
        self._call("simulator_read", number, handle, c.byref(array))
        shape = array.rows, array.width
        if 0 in shape:
            return np.zeros(shape)
        return self._pin(double_p, array.data, shape)

    def _pin(self, of, data, shape):
        """A read-only array of the simulation's memory, which lives as long as somebody has it."""
        memory = (of * (shape[0] * shape[1])).from_address(c.addressof(data.contents))
        memory.simulator = self
        view = np.frombuffer(memory, of).reshape(shape)
        view.flags.writeable = False
        return view

    def read(self, quantity: str, name: str = "") -> np.ndarray:
        """The same, of one row as a vector, and yours."""
        view = self.view(quantity, name)
        return np.array(view[0] if len(view) == 1 else view)

    def cells(self, body: str) -> np.ndarray:
        """Vertices of each cell [n x corners], the model's own memory."""
        cell, count, corners = c.POINTER(int_p)(), int_p(), int_p()
        self._call("simulator_cells", self.find("soft", body), c.byref(cell), c.byref(count),
                   c.byref(corners))
        return self._pin(int_p, cell, (count.value, corners.value))

    def contacts(self, pair: Optional[str] = None) -> np.recarray:
        """Contacts of a pair "A+B", or of all, as a record array, yours: point [9 x 3], centre [m],
        normal, area [m^2], pressure, traction [Pa], force on B [N], slip [m/s], overlap [m].
        pandas takes supple.flat of it."""
        patch, count = void_p(), int_p()
        handle = NONE if pair is None else self.find("pair", pair)
        with self._lock:
            self._call("simulator_contacts", handle, c.byref(patch), c.byref(count))
            data = c.string_at(patch, count.value * PATCH.itemsize) if count.value else b""
        return np.frombuffer(data, PATCH).view(np.recarray)

    def observables(self) -> list:
        """Columns of history.csv by name."""
        names = iter(lambda: lib.sup_simulator_observable_name(self._sim, len(found)), None)
        found = []
        for name in names:
            found.append(name.decode())
        return found

    def observe(self, column: str) -> float:
        """A number of history.csv by its column's name (`observables`), in its unit."""
        value = double_p()
        self._call("simulator_observe", self._observable(column), c.byref(value))
        return value.value

    def _observable(self, column):
        key = "observable", column
        if key not in self._handles:
            handle = int_p()
            self._call("simulator_find_observable", encoded(column), c.byref(handle))
            self._handles[key] = handle.value
        return self._handles[key]

    def set(self, what: str, name: str, value, duration: float = 0.0) -> None:
        """Set an input of help(supple.simulator) before the next step, at once or along a line of
        `duration` [s] from its value now."""
        number = number_of(INPUT_NUMBERS, "input", what)
        array = _numbers(value)
        handle = self.find(lib.sup_input_object(number), name)
        self._call("simulator_set", number, handle, array.ctypes.data, array.size, duration)

    def clear(self) -> None:
        """Clear all inputs."""
        lib.sup_simulator_clear(self._sim)

    def _matrix(self, function, tree, rows):
        out = np.zeros((rows, self.view("tree_velocity", tree).shape[1]))
        self._call(function, self.find("tree", tree), out.ctypes.data)
        return out

    def mass_matrix(self, tree: str) -> np.ndarray:
        """[nv x nv] of a tree [kg, kg m, kg m^2]."""
        return self._matrix("simulator_mass_matrix", tree, self.view("tree_velocity",
                                                                     tree).shape[1])

    def bias(self, tree: str) -> np.ndarray:
        """[nv] efforts that keep the tree at its velocity [N, N m]."""
        return self._matrix("simulator_bias", tree, 1)[0]

    def gravity_efforts(self, tree: str) -> np.ndarray:
        """[nv] efforts that hold the tree at rest [N, N m]."""
        return self._matrix("simulator_gravity_efforts", tree, 1)[0]

    def jacobian(self, body: str, point=(0.0, 0.0, 0.0)) -> np.ndarray:
        """[6 x nv] of a point [3] in the link's frame [m]: velocity, angular velocity."""
        tree = encoded(body).decode().split("/")[0]
        if np.size(point) != 3:
            raise ValueError(f"a point has 3 numbers, not {np.size(point)}")
        out, at = np.zeros((6, self.view("tree_velocity", tree).shape[1])), (double_p * 3)(*point)
        self._call("simulator_jacobian", self.find("body", body), at, out.ctypes.data)
        return out

    def inverse_kinematics(self, body: str, goal, frame=(0, 0, 0, 1, 0, 0, 0), start=None,
                           rotation: str = "pose") -> tuple:
        """(q, report): positions of the tree's joints that place a frame of a link.

        goal, frame: position and quaternion [x, y, z, qw, qx, qy, qz], of the goal in the world, of
        the frame in the link.  rotation: "pose", "axis" (the z axis alone) or "position".
        report: IkReport, with `is_reached`; q is the nearest place found if it is 0."""
        tree = encoded(body).decode().split("/")[0]
        q = np.array(self.read("tree_position", tree) if start is None else start, float).ravel()
        wanted = self.view("tree_position", tree).shape[1]
        if q.size != wanted:
            raise ValueError(f"start has {q.size} numbers; '{tree}' has {wanted} coordinates")
        kinds = ("pose", "axis", "position")
        if np.size(goal) != 7 or np.size(frame) != 7 or rotation not in kinds:
            raise ValueError(f"goal and frame have 7 numbers, rotation is one of {kinds}")
        frame, goal = ((double_p * 7)(*np.ravel(X)) for X in (frame, goal))
        report = IkReport()
        self._call("simulator_inverse_kinematics", self.find("body", body), frame, goal,
                   kinds.index(rotation), q.ctypes.data, c.byref(report))
        return q, report


def _load_model(path, sets):
    return Model(path, **sets)


def _load_simulator(model, state, tuned):
    simulator = model.simulator()
    simulator.tune(**tuned)
    simulator.state = state
    return simulator


def _numbers(value):
    """Numbers as one row; texts and None are none."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"numbers are needed, not {value!r}")
    return np.ascontiguousarray(array, dtype=float).ravel()


def load(source: Union[str, os.PathLike, dict, Scene], **sets) -> Simulator:
    """A simulation of a scene: file, text, dict or Scene, keys set as of Model."""
    return Model(source, **sets).simulator()
