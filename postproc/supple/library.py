"""The library and its tables: functions, errors, names, log, threads."""
import contextlib
import ctypes as c
import operator
import os
import signal
import threading
import weakref
from typing import Callable, NamedTuple, Optional

import numpy as np

NONE = -1
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """A failure as the library tells it; `status` is its code."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


    def __reduce__(self):
        return type(self), (self.status, str(self))


class InputError(Error, ValueError):
    """An argument, a scene or a file of it is wrong."""


class NotConverged(Error):
    """A step has no solution; the state is that before it, the message has place and remedy."""


def _fields(text):
    kinds = {"i": c.c_int, "d": c.c_double, "s": c.c_char_p, "c": c.c_char * 200, "z": c.c_size_t,
             "p": c.c_double * 7}
    return [(key, kinds[kind]) for key, kind in (word.split(":") for word in text.split())]


class Report(c.Structure):
    """A structure of numbers and texts."""

    def as_dict(self) -> dict:
        """Its numbers by name, arrays as lists, texts as str."""
        found = {key: getattr(self, key) for key, _ in self._fields_}
        return {key: value.decode() if isinstance(value, bytes) else
                list(value) if isinstance(value, c.Array) else "" if value is None else value
                for key, value in found.items()}

    def __repr__(self):
        numbers = ", ".join(f"{key}={value!r}" for key, value in self.as_dict().items())
        return f"{type(self).__name__}({numbers})"


class StepReport(Report):
    """Outcome of a step: the members of sup_step_report (supple/report.h) by name and in its units:
    reason (above 0: solved), iterations, momentum_error [-], penetration_max [m] .., seconds by
    phases."""
    _fields_ = _fields(
        "reason:i iterations:i iterations_sum:i islands:i linear_iterations:i linear_missed:i "
        "linear_residual:d linear_reason:s factorisations:i line_search_evaluations:i "
        "linearisations:i sweeps:i at_cap:i sweep_change:d friction_lag:d friction_at_cap:i "
        "ambiguous:i ambiguous_pair:i momentum_error:d substeps:i momentum_residual:d "
        "island_error:d error_body:i round_off:d complementarity_error:d slip_tolerance:d "
        "law_residual:d law_primal:d law_dual:d law_complementarity:d hand_overs:i num_contacts:i "
        "num_constraints:i penetration_max:d stiff_penetration_max:d deepest_pair:i "
        "friction_work_max:d ncp_primal:d ncp_dual:d ncp_complementarity:d stick_speed_max:d "
        "condition:d inverted_cells:i inverted_body:i discarded_small:i discarded_backward:i "
        "discarded_inverted:i silent_pairs:i silent_pair:i passed_pairs:i passed_pair:i analysed:i "
        "soft_work:d soft_damping:d soft_relaxation:d joint_friction:d rolling_friction:d "
        "gas_inflow:d hold_loss:d step_size:d step_error:d rejected:i unresolved:i impacts:i "
        "load_cuts:i held_back:i saddles:i saddle_directions:i is_saddle:i saddle_place:c "
        "snap_energy:d seconds:p arena_peak:z")


class StaticOptions(c.Structure):
    """Load steps to an equilibrium: end [s], steps, tolerance [-], ramp (0, 1), ramp_end [s]."""
    _fields_ = [("end", c.c_double), ("steps", c.c_int), ("tolerance", c.c_double),
                ("ramp", c.c_int), ("ramp_end", c.c_double), ("moduli", c.c_int),
                ("should_stop", c.c_void_p), ("user", c.c_void_p), ("marker", c.c_int)]


class Array(c.Structure):
    _fields_ = [("data", c.POINTER(c.c_double)), ("rows", c.c_int), ("width", c.c_int)]


PATCH = np.dtype([("pair", "i4"), ("num_points", "i4"), ("point", "f8", (9, 3)),
                  ("centre", "f8", 3), ("normal", "f8", 3), ("area", "f8"), ("pressure", "f8"),
                  ("traction", "f8", 3), ("force", "f8", 3), ("slip", "f8", 3), ("overlap", "f8")])


MODE = np.dtype([("omega2", "f8"), ("frequency", "f8"), ("damping", "f8"), ("mass", "f8", 3),
                 ("body", "i4"), ("share", "f8"), ("residual", "f8"), ("reach", "f8")], align=True)


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


def _materials():
    """The folder of materials that stands beside the package or above it."""
    folder = _FOLDER
    while folder != os.path.dirname(folder):
        for place in ("materials", "share/supple/materials"):
            if os.path.exists(os.path.join(folder, place, "tpu.yaml")):
                return os.path.join(folder, place)
        folder = os.path.dirname(folder)
    return None


if _materials():
    os.environ.setdefault("SUPPLE_MATERIALS", _materials())
try:
    lib = c.CDLL(_find_library())
except OSError as missing:
    raise ImportError(f"{missing}; run `make` in the checkout, or name the library in "
                      "SUPPLE_LIBRARY") from None
text_p, int_p, double_p, void_p = c.c_char_p, c.c_int, c.c_double, c.c_void_p
_SIGNATURES = {
    "error_message": (text_p, []),
    "binding_size": (c.c_size_t, [text_p]),
    "object_name": (text_p, [int_p]),
    "quantity_name": (text_p, [int_p]), "quantity_object": (int_p, [int_p]),
    "input_name": (text_p, [int_p]), "input_object": (int_p, [int_p]),
    "threads_set": (None, [int_p]), "log_set": (None, [void_p, void_p]),
    "scene_load": (int_p, [void_p, text_p, void_p, int_p]), "scene_destroy": (None, [void_p]),
    "scene_schema": (int_p, [void_p, void_p]),
    "scene_static_options": (StaticOptions, [void_p]),
    "simulator_equilibrate": (int_p, [void_p, void_p, void_p, void_p]),
    "simulator_assign_all": (int_p, [void_p, void_p, int_p]),
    "simulator_evaluate": (int_p, [void_p, void_p]),
    "simulator_modes": (int_p, [void_p, void_p, int_p, int_p, void_p, void_p]),
    "simulator_tune": (int_p, [void_p, double_p, double_p]),
    "simulator_observable_name": (text_p, [void_p, int_p]),
    "scene_model_def": (void_p, [void_p]), "scene_end_time": (double_p, [void_p]),
    "model_create": (int_p, [void_p, void_p]), "model_destroy": (None, [void_p]),
    "scene_simulator_create": (int_p, [void_p, void_p, void_p]),
    "simulator_destroy": (None, [void_p]),
    "simulator_run": (int_p, [void_p, double_p, void_p, void_p]),
    "simulator_step": (int_p, [void_p, void_p]), "simulator_reset": (int_p, [void_p]),
    "simulator_set_state": (int_p, [void_p, void_p]), "simulator_state": (void_p, [void_p]),
    "simulator_save": (int_p, [void_p, text_p]), "simulator_restore": (int_p, [void_p, text_p]),
    "simulator_time": (double_p, [void_p]), "simulator_steps": (c.c_long, [void_p]),
    "simulator_step_size": (double_p, [void_p]),
    "simulator_count": (int_p, [void_p, int_p]),
    "simulator_name": (text_p, [void_p, int_p, int_p, void_p, c.c_size_t]),
    "simulator_find": (int_p, [void_p, int_p, text_p, void_p]),
    "simulator_read": (int_p, [void_p, int_p, int_p, void_p]),
    "simulator_contacts": (int_p, [void_p, int_p, void_p, void_p]),
    "simulator_find_observable": (int_p, [void_p, text_p, void_p]),
    "simulator_observe": (int_p, [void_p, int_p, void_p]),
    "simulator_set": (int_p, [void_p, int_p, int_p, void_p, int_p, double_p]),
    "simulator_clear": (None, [void_p]),
    "simulator_cells": (int_p, [void_p, int_p, void_p, void_p, void_p]),
    "simulator_mass_matrix": (int_p, [void_p, int_p, void_p]),
    "simulator_bias": (int_p, [void_p, int_p, void_p]),
    "simulator_gravity_efforts": (int_p, [void_p, int_p, void_p]),
    "simulator_jacobian": (int_p, [void_p, int_p, void_p, void_p]),
    "simulator_inverse_kinematics": (int_p, [void_p, int_p, void_p, void_p, int_p, void_p, void_p]),
    "state_hash": (c.c_uint64, [void_p]),
    "version": (text_p, []),
    "record_create": (int_p, [void_p, void_p, void_p, text_p]),
    "record_frame": (int_p, [void_p]), "record_verdicts": (int_p, [void_p, void_p]),
    "record_verdict": (int_p, [void_p, int_p, void_p]),
    "record_finish": (int_p, [void_p, int_p]), "record_destroy": (None, [void_p]),
}
for _key, (_result, _arguments) in _SIGNATURES.items():
    _f = getattr(lib, "sup_" + _key)
    _f.restype, _f.argtypes = _result, _arguments


_INTERRUPTED = 10  # sup_status of supple/status.h
_KINDS = {1: InputError, 4: InputError, 5: InputError,  # sup_status of supple/status.h
          6: NotConverged, 7: NotConverged, 8: NotConverged}


def call(name, *arguments):
    try:
        status = getattr(lib, "sup_" + name)(*arguments)
    except c.ArgumentError as error:
        raise TypeError(f"{name}: {error}") from None
    if status != 0:
        if status == _INTERRUPTED:
            raise KeyboardInterrupt(lib.sup_error_message().decode())
        raise _KINDS.get(status, Error)(status, lib.sup_error_message().decode())


class Owned:
    """A structure of the library, destroyed behind the last reference to it; those that it needs
    outlive it in whatever order cycles are collected."""

    def __init__(self, name, *needs):
        self.at = void_p()
        weakref.finalize(self, _destroy, name, self.at, *needs).atexit = False  # arrays may live on


def _destroy(name, at, *needs):
    getattr(lib, f"sup_{name}_destroy")(c.byref(at))


def encoded(text):
    if not isinstance(text, str):
        raise TypeError(f"a name is a str, not {type(text).__name__}")
    return whole(text.encode())


def whole(text):
    """Bytes that the library takes as they are: it ends texts at a zero."""
    if b"\0" in text:
        raise InputError(1, f"{text!r} has a zero byte")
    return text


def path_of(path):
    return whole(os.fsencode(path))


@contextlib.contextmanager
def interrupts():
    """A list that Ctrl-C makes longer, for callbacks, which must not raise."""
    told = []
    is_here = (threading.current_thread() is threading.main_thread() and
               signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    if is_here:
        signal.signal(signal.SIGINT, lambda *_: told.append(1))
    try:
        yield told
    finally:
        if is_here:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if told:
        raise KeyboardInterrupt


def number_of(table, what, name):
    """Number of an enumeration's name."""
    if encoded(name).decode() not in table:
        raise InputError(1, f"there is no {what} '{name}'; known: {', '.join(table)}")
    return table[name]


def _table(name):
    """Numbers of an enumeration by their names."""
    names = iter(lambda: getattr(lib, name)(len(table)), None)
    table = {}
    for text in names:
        table[text.decode()] = len(table)
    return table


OBJECT_NUMBERS, QUANTITY_NUMBERS, INPUT_NUMBERS = map(
    _table, ("sup_object_name", "sup_quantity_name", "sup_input_name"))


# Names to ask for: kinds of things, quantities of view and read, inputs of set.
OBJECTS, QUANTITIES, INPUTS = map(list, (OBJECT_NUMBERS, QUANTITY_NUMBERS, INPUT_NUMBERS))


class Key(NamedTuple):
    """A key of scenes, as `supple help scene` has it."""
    value: str    #: kind of value: "a length, positive"
    default: str  #: of an absent key; "needed", "none"
    meaning: str
    example: str
    has_names: bool  #: True: a mapping of things by names of your choice


class _Key(c.Structure):
    _fields_ = [(name, text_p) for name in ("path", "value", "default", "example", "meaning")] + [
        ("has_names", int_p)]


def _keys():
    keys = {}

    def add(key, _):
        key = key.contents
        texts = {name: getattr(key, name).decode() for name, kind in key._fields_ if kind == text_p}
        path = texts.pop("path")
        keys[path] = Key(**texts, has_names=bool(key.has_names))
        return 0

    lib.sup_scene_schema(c.CFUNCTYPE(int_p, c.POINTER(_Key), void_p)(add), None)
    return keys


# Keys of scenes by their paths, "soft.mesh.finray.wall", without names of things.
KEYS = _keys()


def threads(number: int) -> None:
    """Threads that a call from this thread may use, 1 to 1024."""
    if not 1 <= operator.index(number) <= 1024:
        raise ValueError(f"threads: {number}; 1 to 1024 are possible")
    lib.sup_threads_set(number)


def flat(records: np.ndarray) -> np.ndarray:
    """A structured array whose vectors became columns force_x, force_y, force_z or point_0 ..: what
    pandas.DataFrame takes."""
    columns = {}
    for key in records.dtype.names:
        width = int(np.prod(records.dtype[key].shape))
        values = np.asarray(records[key]).reshape(len(records), width)
        ends = [""] if records.dtype[key].shape == () else range(values.shape[1])
        if values.shape[1] == 3 and ends != [""]:
            ends = "xyz"
        columns.update({f"{key}_{end}".rstrip("_"): values[:, i] for i, end in enumerate(ends)})
    out = np.empty(len(records), [(key, value.dtype) for key, value in columns.items()])
    for key, value in columns.items():
        out[key] = value
    return out


_LOG = c.CFUNCTYPE(None, int_p, text_p, void_p)
_receiver = None


def log(function: Optional[Callable[[int, str], None]]) -> None:
    """Have function(level, message) told warnings (level 1) and notes (0); None: silence."""
    global _receiver
    receiver = function and _LOG(lambda level, text, _: function(level, text.decode()))
    lib.sup_log_set(c.cast(receiver, void_p) if receiver else None, None)
    _receiver = receiver


if (lib.sup_binding_size(b"patch") != PATCH.itemsize or
        lib.sup_binding_size(b"mode") != MODE.itemsize or
        lib.sup_binding_size(b"report") != c.sizeof(StepReport)):
    raise ImportError("the package supple and libsupple are of different versions")
