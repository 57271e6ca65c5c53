"""Supple from Python: simulations that a program drives, on the C interface of libsupple.

    import supple
    sim = supple.load("finray_grasp.yaml")       # a file, a text, a dict or a supple.Scene
    sim.set("target", "lift", 0.02, duration=0.5)
    sim.step()
    sim.pose["cylinder"]                         # array([x, y, z, qw, qx, qy, qz])
    sim.reset(pose={"cylinder": [0.01, 0, 0.025]}, friction={"left_finger+cylinder": 0.6})
    sim.vertices("left_finger")                  # [n x 3], the simulation's own memory: no copy

`Scene` builds scenes by objects, `Model` is the constant part that simulators share, `Simulator` a
state with its steps, `Record` files and verdicts of them, `Batch` many simulators on all cores.  SI
units and radians; quaternions w x y z.
help(supple.simulator) has all quantities and inputs with shapes and units; QUANTITIES, INPUTS,
OBJECTS are their names.  ctypes and numpy, nothing to compile; SUPPLE_LIBRARY names another one.
"""
from . import library
from .library import (INPUTS, KEYS, OBJECTS, PATCH, QUANTITIES, Error, InputError, Key,
                      NotConverged, StaticOptions, StepReport, flat, log, threads)
from .record import Record, Verdict
from .scene import Mesh, Scene
from .simulator import IkReport, Model, Quantity, Simulator, load
from .batch import Batch

__version__ = library.lib.sup_version().decode().split()[0]

__all__ = ["Batch", "Error", "INPUTS", "IkReport", "InputError", "KEYS", "Key", "Mesh", "Model",
           "NotConverged", "OBJECTS", "PATCH", "QUANTITIES", "Quantity", "Record", "Scene",
           "Simulator", "StaticOptions", "StepReport", "Verdict", "flat", "load", "log", "threads"]
