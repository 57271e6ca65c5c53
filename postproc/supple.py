"""Supple from Python: simulations that a program drives, on the C interface of libsupple.

    import supple
    sim = supple.load("finray_grasp.yaml")
    sim.set("target", "lift", 0.02, duration=0.5)
    sim.step()
    sim.read("pose", "cylinder")        # array([x, y, z, qw, qx, qy, qz])
    sim.vertices("left_finger")         # [n x 3], the simulation's own memory: no copy

Quantities, inputs and kinds of things have the names of supple/simulator.h in lower case.  SI units
and radians.  One file: ctypes and numpy, nothing to compile.  SUPPLE_LIBRARY names another library.
"""
import ctypes as c
import json
import operator
import os
import tempfile
import threading

import numpy as np

NONE = -1
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """What the library says of a failure; `status` is its code."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class InputError(Error, ValueError):
    """An argument, a scene or a file of it is wrong."""


class NotConverged(Error):
    """A step has no solution; the state is that before it, the message has place and remedy."""


class _Array(c.Structure):
    _fields_ = [("data", c.POINTER(c.c_double)), ("rows", c.c_int), ("width", c.c_int)]


class IkReport(c.Structure):
    """sup_ik_report of supple/kinematics.h; `at_limit` has `num_at_limit` links of the tree."""
    _fields_ = [("is_reached", c.c_int), ("num_joints", c.c_int), ("tries", c.c_int),
                ("iterations", c.c_int), ("position_error", c.c_double),
                ("rotation_error", c.c_double), ("num_at_limit", c.c_int),
                ("at_limit", c.c_int * 16)]


PATCH = np.dtype([("pair", "i4"), ("num_points", "i4"), ("point", "f8", (9, 3)),
                  ("centre", "f8", 3), ("normal", "f8", 3), ("area", "f8"), ("pressure", "f8"),
                  ("traction", "f8", 3), ("force", "f8", 3), ("slip", "f8", 3), ("overlap", "f8")])


def _find_library():
    """Installed beside this file's prefix, built in a checkout, or where the loader looks."""
    if "SUPPLE_LIBRARY" in os.environ:
        return os.environ["SUPPLE_LIBRARY"]
    folder = _FOLDER
    while folder != os.path.dirname(folder):
        for place in ("lib/libsupple.so.0", "build/release/lib/libsupple.so.0", "libsupple.so.0"):
            if os.path.exists(os.path.join(folder, place)):
                return os.path.join(folder, place)
        folder = os.path.dirname(folder)
    return "libsupple.so.0"


_lib = c.CDLL(_find_library())
_text, _int, _double, _void = c.c_char_p, c.c_int, c.c_double, c.c_void_p
_SIGNATURES = {
    "error_message": (_text, []),
    "binding_size": (c.c_size_t, [_text]),
    "object_name": (_text, [_int]),
    "quantity_name": (_text, [_int]), "quantity_object": (_int, [_int]),
    "input_name": (_text, [_int]), "input_object": (_int, [_int]),
    "threads_set": (None, [_int]), "log_set": (None, [_void, _void]),
    "scene_load": (_int, [_void, _text, _void, _int]), "scene_destroy": (None, [_void]),
    "scene_model_def": (_void, [_void]), "scene_end_time": (_double, [_void]),
    "model_create": (_int, [_void, _void]), "model_destroy": (None, [_void]),
    "scene_simulator_create": (_int, [_void, _void, _void]),
    "simulator_destroy": (None, [_void]),
    "simulator_step": (_int, [_void, _void]), "simulator_reset": (_int, [_void]),
    "simulator_set_state": (_int, [_void, _void]), "simulator_state": (_void, [_void]),
    "simulator_save": (_int, [_void, _text]), "simulator_restore": (_int, [_void, _text]),
    "simulator_time": (_double, [_void]), "simulator_steps": (c.c_long, [_void]),
    "simulator_step_size": (_double, [_void]),
    "simulator_count": (_int, [_void, _int]),
    "simulator_name": (_text, [_void, _int, _int, _void, c.c_size_t]),
    "simulator_find": (_int, [_void, _int, _text, _void]),
    "simulator_read": (_int, [_void, _int, _int, _void]),
    "simulator_contacts": (_int, [_void, _int, _void, _void]),
    "simulator_find_observable": (_int, [_void, _text, _void]),
    "simulator_observe": (_int, [_void, _int, _void]),
    "simulator_set": (_int, [_void, _int, _int, _void, _int, _double]),
    "simulator_clear": (None, [_void]),
    "simulator_cells": (_int, [_void, _int, _void, _void, _void]),
    "simulator_mass_matrix": (_int, [_void, _int, _void]),
    "simulator_bias": (_int, [_void, _int, _void]),
    "simulator_gravity_efforts": (_int, [_void, _int, _void]),
    "simulator_jacobian": (_int, [_void, _int, _void, _void]),
    "simulator_inverse_kinematics": (_int, [_void, _int, _void, _void, _int, _void, _void]),
    "state_hash": (c.c_uint64, [_void]),
}
for _name, (_result, _arguments) in _SIGNATURES.items():
    _f = getattr(_lib, "sup_" + _name)
    _f.restype, _f.argtypes = _result, _arguments


_KINDS = {1: InputError, 4: InputError, 5: InputError,  # sup_status of supple/status.h
          6: NotConverged, 7: NotConverged, 8: NotConverged}


def _call(name, *arguments):
    status = getattr(_lib, "sup_" + name)(*arguments)
    if status != 0:
        raise _KINDS.get(status, Error)(status, _lib.sup_error_message().decode())


def _name(text):
    if not isinstance(text, str):
        raise TypeError(f"a name is a str, not {type(text).__name__}")
    return text.encode()


def _number_of(table, what, name):
    """Number of an enumeration's name."""
    if _name(name).decode() not in table:
        raise InputError(1, f"there is no {what} '{name}'; known: {', '.join(table)}")
    return table[name]


def _value(value):
    """A value of a scene's key as YAML; texts as they are."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=lambda array: array.tolist())


def _table(name):
    """Numbers of an enumeration by their names."""
    names = iter(lambda: getattr(_lib, name)(len(table)), None)
    table = {}
    for text in names:
        table[text.decode()] = len(table)
    return table


_OBJECTS, _QUANTITIES, _INPUTS = map(_table, ("sup_object_name", "sup_quantity_name",
                                             "sup_input_name"))


# What there is to ask for: kinds of things, quantities of view and read, inputs of set.
OBJECTS, QUANTITIES, INPUTS = map(list, (_OBJECTS, _QUANTITIES, _INPUTS))


def threads(number):
    """Threads that a call from this thread may use, 1 or more."""
    if operator.index(number) < 1:
        raise ValueError(f"threads: {number}; 1 or more are possible")
    _lib.sup_threads_set(number)


_LOG = c.CFUNCTYPE(None, _int, _text, _void)
_receiver = None


def log(function):
    """Have function(level, message) told warnings (level 1) and notes (0); None: silence."""
    global _receiver
    receiver = function and _LOG(lambda level, text, _: function(level, text.decode()))
    _lib.sup_log_set(c.cast(receiver, _void) if receiver else None, None)
    _receiver = receiver


class Model:
    """A scene file and the constant model of it; any number of simulators may share it."""

    def __init__(self, path, **sets):
        """Keys of the scene may be given other values, as texts, numbers, lists, dicts or arrays:
        Model(path, **{"time.step": "5 ms"})."""
        self._scene, self._model = _void(), _void()
        self._made_of = os.path.abspath(os.fsdecode(path)), sets
        words = [f"{key}={_value(value)}".encode() for key, value in sets.items()]
        _call("scene_load", c.byref(self._scene), os.fsencode(path),
              (_text * len(words))(*words), len(words))
        _call("model_create", c.byref(self._model), _lib.sup_scene_model_def(self._scene))
        self.end_time = _lib.sup_scene_end_time(self._scene)

    def simulator(self):
        return Simulator(self)

    def __copy__(self):
        return self  # it is constant

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _load_model, self._made_of

    def __del__(self):
        _lib.sup_model_destroy(c.byref(self._model))
        _lib.sup_scene_destroy(c.byref(self._scene))


class Simulator:
    """A simulation at time 0.

    Calls from several threads take turns.  copy.copy makes another one in the same state of the
    same model; pickle takes the file's path, the keys and the state.  After close(), or a `with`,
    calls are errors, arrays stay."""

    def __init__(self, model):
        if not isinstance(model, Model):
            raise TypeError(f"a simulator is made of a Model, not of {type(model).__name__}")
        self._model, self._own, self._handles = model, _void(), {}
        self._lock, self._is_closed = threading.RLock(), False
        _call("scene_simulator_create", c.byref(self._own), model._scene, model._model)

    def __del__(self):
        if hasattr(self, "_own"):
            _lib.sup_simulator_destroy(c.byref(self._own))

    @property
    def _sim(self):
        if self._is_closed:
            raise ValueError("the simulator is closed")
        return self._own

    def _call(self, name, *arguments):
        with self._lock:
            _call(name, self._sim, *arguments)

    def close(self):
        self._is_closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __copy__(self):
        other = Simulator(self._model)
        other.take(self)
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            self.save(path)
            with open(path, "rb") as file:
                return _load_simulator, (self._model, file.read())

    def __repr__(self):
        if self._is_closed:
            return "<supple.Simulator, closed>"
        return f"<supple.Simulator of {self._model._made_of[0]} at {self.time:.6g} s>"

    time = property(lambda self: _lib.sup_simulator_time(self._sim))
    dt = property(lambda self: _lib.sup_simulator_step_size(self._sim),
                  doc="Length of its steps, of controlled ones that of the first [s].")
    steps = property(lambda self: _lib.sup_simulator_steps(self._sim))
    hash = property(lambda self: _lib.sup_state_hash(_lib.sup_simulator_state(self._sim)))

    def step(self, count=1):
        if operator.index(count) < 0:
            raise ValueError(f"step: {count} steps; 0 or more are possible")
        for _ in range(count):
            self._call("simulator_step", None)

    def reset(self):
        self._call("simulator_reset")

    def take(self, other):
        """Go on from another simulation of the same model."""
        if not isinstance(other, Simulator):
            raise TypeError(f"take: a Simulator is needed, not {type(other).__name__}")
        with other._lock:
            self._call("simulator_set_state", _lib.sup_simulator_state(other._sim))

    def save(self, path):
        self._call("simulator_save", os.fsencode(path))

    def restore(self, path):
        self._call("simulator_restore", os.fsencode(path))

    def find(self, kind, name):
        """The handle of an object."""
        key = kind, name
        if key not in self._handles:
            handle = _int()
            number = kind if isinstance(kind, int) else _number_of(_OBJECTS, "kind", kind)
            self._call("simulator_find", number, _name(name), c.byref(handle))
            self._handles[key] = handle.value
        return self._handles[key]

    def names(self, kind):
        text, number = c.create_string_buffer(300), _number_of(_OBJECTS, "kind", kind)
        return [_lib.sup_simulator_name(self._sim, number, i, text, len(text)).decode()
                for i in range(_lib.sup_simulator_count(self._sim, number))]

    def view(self, quantity, name=""):
        """An array [rows x width] of the simulation's own memory: of positions and velocities
        always those of now, of the others as they were read last."""
        number, array = _number_of(_QUANTITIES, "quantity", quantity), _Array()
        handle = self.find(_lib.sup_quantity_object(number), name)
        self._call("simulator_read", number, handle, c.byref(array))
        shape = array.rows, array.width
        if 0 in shape:
            return np.zeros(shape)
        return self._pin(_double, array.data, shape)

    def _pin(self, of, data, shape):
        """A read-only array of the simulation's memory, which lives as long as somebody has it."""
        memory = (of * (shape[0] * shape[1])).from_address(c.addressof(data.contents))
        memory.simulator = self
        view = np.frombuffer(memory, of).reshape(shape)
        view.flags.writeable = False
        return view

    def read(self, quantity, name=""):
        """The same, of one row as a vector, and yours."""
        view = self.view(quantity, name)
        return np.array(view[0] if len(view) == 1 else view)

    def vertices(self, body):
        return self.view("vertices", body)

    def cells(self, body):
        """Vertices of each cell [n x corners], the model's own memory."""
        cell, count, corners = c.POINTER(_int)(), _int(), _int()
        self._call("simulator_cells", self.find("soft", body), c.byref(cell), c.byref(count),
                   c.byref(corners))
        return self._pin(_int, cell, (count.value, corners.value))

    def contacts(self, pair=None):
        """Contacts of a pair "A+B", or of all, as a record array (PATCH); yours."""
        patch, count = _void(), _int()
        handle = NONE if pair is None else self.find("pair", pair)
        with self._lock:
            self._call("simulator_contacts", handle, c.byref(patch), c.byref(count))
            data = c.string_at(patch, count.value * PATCH.itemsize) if count.value else b""
        return np.frombuffer(data, PATCH).view(np.recarray)

    def observe(self, column):
        """A number of history.csv by its column's name."""
        key, value = ("observable", column), _double()
        if key not in self._handles:
            handle = _int()
            self._call("simulator_find_observable", _name(column), c.byref(handle))
            self._handles[key] = handle.value
        self._call("simulator_observe", self._handles[key], c.byref(value))
        return value.value

    def set(self, what, name, value, duration=0.0):
        """Set an input before the next step, at once or along a straight line."""
        number = _number_of(_INPUTS, "input", what)
        array = np.ascontiguousarray(value, dtype=float).ravel()
        handle = self.find(_lib.sup_input_object(number), name)
        self._call("simulator_set", number, handle, array.ctypes.data, array.size, duration)

    def clear(self):
        _lib.sup_simulator_clear(self._sim)

    def _matrix(self, function, tree, rows):
        out = np.zeros((rows, self.view("tree_velocity", tree).shape[1]))
        self._call(function, self.find("tree", tree), out.ctypes.data)
        return out

    def mass_matrix(self, tree):
        return self._matrix("simulator_mass_matrix", tree, self.view("tree_velocity",
                                                                     tree).shape[1])

    def bias(self, tree):
        return self._matrix("simulator_bias", tree, 1)[0]

    def gravity_efforts(self, tree):
        return self._matrix("simulator_gravity_efforts", tree, 1)[0]

    def jacobian(self, body, point=(0.0, 0.0, 0.0)):
        """[6 x nv] of a point in the link's frame."""
        tree = body.split("/")[0]
        if np.size(point) != 3:
            raise ValueError(f"a point has 3 numbers, not {np.size(point)}")
        out, at = np.zeros((6, self.view("tree_velocity", tree).shape[1])), (_double * 3)(*point)
        self._call("simulator_jacobian", self.find("body", body), at, out.ctypes.data)
        return out

    def inverse_kinematics(self, body, goal, frame=(0, 0, 0, 1, 0, 0, 0), start=None,
                           rotation="pose"):
        """(q, report): positions of the tree's joints that place a frame of a link.

        goal, frame: position and quaternion [x, y, z, qw, qx, qy, qz], of the goal in the world, of
        the frame in the link.  rotation: "pose", "axis" (the z axis alone) or "position".
        report: IkReport, with `is_reached`; q is the nearest place found if it is 0."""
        tree = body.split("/")[0]
        q = np.array(self.read("tree_position", tree) if start is None else start, float).ravel()
        wanted = self.view("tree_position", tree).shape[1]
        if q.size != wanted:
            raise ValueError(f"start has {q.size} numbers; '{tree}' has {wanted} coordinates")
        kinds = ("pose", "axis", "position")
        if np.size(goal) != 7 or np.size(frame) != 7 or rotation not in kinds:
            raise ValueError(f"goal and frame have 7 numbers, rotation is one of {kinds}")
        frame, goal = ((_double * 7)(*np.ravel(X)) for X in (frame, goal))
        report = IkReport()
        self._call("simulator_inverse_kinematics", self.find("body", body), frame, goal,
                   kinds.index(rotation), q.ctypes.data, c.byref(report))
        return q, report


def _load_model(path, sets):
    return Model(path, **sets)


def _load_simulator(model, state):
    simulator = model.simulator()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state")
        with open(path, "wb") as file:
            file.write(state)
        simulator.restore(path)
    return simulator


def load(path, **sets):
    """A simulation of a scene file."""
    return Model(path, **sets).simulator()


if _lib.sup_binding_size(b"patch") != PATCH.itemsize:
    raise ImportError("supple.py and libsupple are of different versions")
