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
import os

import numpy as np

NONE = -1
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """What the library says of a failure; `status` is its code."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


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


def _call(name, *arguments):
    status = getattr(_lib, "sup_" + name)(*arguments)
    if status != 0:
        raise Error(status, _lib.sup_error_message().decode())


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
    """Threads that a call from this thread may use."""
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
        """Keys of the scene may be given other values: Model(path, **{"time.step": "5 ms"})."""
        words = [f"{key}={value}".encode() for key, value in sets.items()]
        self._scene, self._model = _void(), _void()
        _call("scene_load", c.byref(self._scene), os.fsencode(path),
              (_text * len(words))(*words), len(words))
        _call("model_create", c.byref(self._model), _lib.sup_scene_model_def(self._scene))
        self.end_time = _lib.sup_scene_end_time(self._scene)

    def simulator(self):
        return Simulator(self)

    def __del__(self):
        _lib.sup_model_destroy(c.byref(self._model))
        _lib.sup_scene_destroy(c.byref(self._scene))


class Simulator:
    """A simulation at time 0."""

    def __init__(self, model):
        self._model, self._sim, self._handles = model, _void(), {}
        _call("scene_simulator_create", c.byref(self._sim), model._scene, model._model)

    def __del__(self):
        _lib.sup_simulator_destroy(c.byref(self._sim))

    time = property(lambda self: _lib.sup_simulator_time(self._sim))
    dt = property(lambda self: _lib.sup_simulator_step_size(self._sim),
                  doc="Length of its steps, of controlled ones that of the first [s].")
    steps = property(lambda self: _lib.sup_simulator_steps(self._sim))
    hash = property(lambda self: _lib.sup_state_hash(_lib.sup_simulator_state(self._sim)))

    def step(self, count=1):
        for _ in range(count):
            _call("simulator_step", self._sim, None)

    def reset(self):
        _call("simulator_reset", self._sim)

    def take(self, other):
        """Go on from another simulation of the same model."""
        _call("simulator_set_state", self._sim, _lib.sup_simulator_state(other._sim))

    def save(self, path):
        _call("simulator_save", self._sim, os.fsencode(path))

    def restore(self, path):
        _call("simulator_restore", self._sim, os.fsencode(path))

    def find(self, kind, name):
        """The handle of an object."""
        key = kind, name
        if key not in self._handles:
            handle = _int()
            number = kind if isinstance(kind, int) else _OBJECTS[kind]
            _call("simulator_find", self._sim, number, name.encode(), c.byref(handle))
            self._handles[key] = handle.value
        return self._handles[key]

    def names(self, kind):
        text, number = c.create_string_buffer(300), _OBJECTS[kind]
        return [_lib.sup_simulator_name(self._sim, number, i, text, len(text)).decode()
                for i in range(_lib.sup_simulator_count(self._sim, number))]

    def view(self, quantity, name=""):
        """An array [rows x width] of the simulation's own memory: of positions and velocities
        always those of now, of the others as they were read last."""
        number, array = _QUANTITIES[quantity], _Array()
        handle = self.find(_lib.sup_quantity_object(number), name)
        _call("simulator_read", self._sim, number, handle, c.byref(array))
        shape = array.rows, array.width
        if 0 in shape:
            return np.zeros(shape)
        memory = (_double * (shape[0] * shape[1])).from_address(
            c.addressof(array.data.contents))
        memory.simulator = self  # which lives as long as somebody has the array
        view = np.frombuffer(memory).reshape(shape)
        view.flags.writeable = False
        return view

    def read(self, quantity, name=""):
        """The same, of one row as a vector, and yours."""
        view = self.view(quantity, name)
        return np.array(view[0] if len(view) == 1 else view)

    def vertices(self, body):
        return self.view("vertices", body)

    def cells(self, body):
        cell, count, corners = c.POINTER(_int)(), _int(), _int()
        _call("simulator_cells", self._sim, self.find("soft", body), c.byref(cell), c.byref(count),
              c.byref(corners))
        return np.ctypeslib.as_array(cell, (count.value, corners.value))

    def contacts(self, pair=None):
        """Contacts of a pair "A+B", or of all, as a record array (PATCH); yours."""
        patch, count = _void(), _int()
        handle = NONE if pair is None else self.find("pair", pair)
        _call("simulator_contacts", self._sim, handle, c.byref(patch), c.byref(count))
        if count.value == 0:
            return np.zeros(0, PATCH).view(np.recarray)
        data = c.string_at(patch, count.value * PATCH.itemsize)
        return np.frombuffer(data, PATCH).view(np.recarray)

    def observe(self, column):
        """A number of history.csv by its column's name."""
        key, value = ("observable", column), _double()
        if key not in self._handles:
            handle = _int()
            _call("simulator_find_observable", self._sim, column.encode(), c.byref(handle))
            self._handles[key] = handle.value
        _call("simulator_observe", self._sim, self._handles[key], c.byref(value))
        return value.value

    def set(self, what, name, value, duration=0.0):
        """Set an input before the next step, at once or along a straight line."""
        number = _INPUTS[what]
        array = np.ascontiguousarray(value, dtype=float).ravel()
        handle = self.find(_lib.sup_input_object(number), name)
        _call("simulator_set", self._sim, number, handle, array.ctypes.data, array.size, duration)

    def clear(self):
        _lib.sup_simulator_clear(self._sim)

    def _matrix(self, function, tree, rows):
        out = np.zeros((rows, self.view("tree_velocity", tree).shape[1]))
        _call(function, self._sim, self.find("tree", tree), out.ctypes.data)
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
        out, at = np.zeros((6, self.view("tree_velocity", tree).shape[1])), (_double * 3)(*point)
        _call("simulator_jacobian", self._sim, self.find("body", body), at, out.ctypes.data)
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
        _call("simulator_inverse_kinematics", self._sim, self.find("body", body), frame, goal,
              kinds.index(rotation), q.ctypes.data, c.byref(report))
        return q, report


def load(path, **sets):
    """A simulation of a scene file."""
    return Model(path, **sets).simulator()


if _lib.sup_binding_size(b"patch") != PATCH.itemsize:
    raise ImportError("supple.py and libsupple are of different versions")
