"""Files and verdicts of a simulation's steps, as `supple run` has them."""
import ctypes as c
import weakref
from typing import List, NamedTuple, Optional

from .library import call, int_p, lib, path_of, void_p


class Verdict(NamedTuple):
    """A verdict on the steps of a record, as `supple run` prints it."""
    severity: str    #: PASS, WARN or FAIL
    name: str        #: stable, for scripts
    text: str        #: finding
    remedy: str      #: "": none
    value: float     #: in `unit`
    limit: float     #: that the value exceeds, or would exceed first
    unit: str
    time: float      #: [s]; nan: of no single time
    bodies: tuple    #: names of the bodies concerned


class _Finding(c.Structure):
    _fields_ = ([(key, c.c_char_p) for key in ("severity", "name", "unit", "text", "remedy", "a",
                                               "b")] +
                [(key, c.c_double) for key in ("value", "limit", "time")])


class Record:
    """Observer of a simulator's steps (`Simulator.record`); in a `with`, the end finishes it.

    Up to there the simulator takes no other state (`reset`, `restore`, `take`) and makes no load
    steps.  What a step writes is in the files at the latest after `finish`."""

    def __init__(self, simulator, folder: Optional[str] = None):
        self._own, self._simulator, self._lock = void_p(), simulator, simulator._lock
        with simulator._lock:
            call("record_create", c.byref(self._own), simulator._model._scene, simulator._sim,
                 None if folder is None else path_of(folder))
        weakref.finalize(self, _end, self._own, simulator._lock, simulator._owned)

    def _call(self, name, *arguments):
        with self._lock:
            call(name, self._own, *arguments)

    @property
    def verdicts(self) -> List[Verdict]:
        """Verdicts on the steps so far; they stay after `finish`."""
        count, found, one = int_p(), [], _Finding()
        with self._lock:
            self._call("record_verdicts", c.byref(count))
            for i in range(count.value):
                self._call("record_verdict", i, c.byref(one))
                text = {key: getattr(one, key).decode() for key, kind in one._fields_
                        if kind is c.c_char_p}
                bodies = tuple(name for name in (text.pop("a"), text.pop("b")) if name)
                found.append(Verdict(**text, value=one.value, limit=one.limit, time=one.time,
                                     bodies=bodies))
        return found

    def frame(self) -> None:
        """Write a frame and a row of the present state, beside those that are due by the scene's
        `output`."""
        self._call("record_frame")

    def finish(self, complete: bool = True) -> None:
        """Write the last frame, summary.json and manifest.json; complete False: they say
        "interrupted"."""
        self._call("record_finish", int(complete))
        if self._simulator:
            self._simulator._record, self._simulator = lambda: self, None

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        self.finish(kind is None)


def _end(own, lock, needs):
    """The end of a record that nobody has any more, also that of the program."""
    with lock:
        lib.sup_record_finish(own, 1)
        lib.sup_record_destroy(c.byref(own))
