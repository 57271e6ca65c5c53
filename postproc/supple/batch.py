"""Many states of one model on all cores."""
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Iterable, Optional

import numpy as np

from . import library
from .simulator import Model, Simulator


class Batch:
    """n simulations of one model, which step at the same time: batch[i] is a Simulator.

    Arrays are [n, ..] with what a Simulator has behind.  `which`: numbers of simulations, or [n]
    bools; None: all.  An error names its simulation; those before it are done."""

    def __init__(self, model, n: int, threads: Optional[int] = None):
        """model: a Model, or what a Model is made of.  threads: cores used, None: all."""
        if n < 1:
            raise ValueError(f"a batch of {n} simulations; 1 or more are possible")
        self.model = model if isinstance(model, Model) else Model(model)
        self._sims = [self.model.simulator() for _ in range(n)]
        self._threads = min(threads or len(os.sched_getaffinity(0)), n)
        self.errors = [None] * n
        self._start()

    def _start(self):
        self._pool = ThreadPoolExecutor(self._threads, initializer=lambda: library.threads(1))
        self._process = os.getpid()

    def __len__(self):
        return len(self._sims)

    def __getitem__(self, i: int) -> Simulator:
        return self._sims[i]

    def _chosen(self, which):
        """Numbers of simulations as a list."""
        if which is None:
            return list(range(len(self)))
        array = np.asarray(which if isinstance(which, np.ndarray) else list(which))
        if array.dtype.kind == "b" and array.shape == (len(self),):
            return np.flatnonzero(array).tolist()
        if array.size == 0:
            return []
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise TypeError(f"which: numbers of simulations or [{len(self)}] bools, not {which!r}")
        chosen = array.tolist()
        if min(chosen) < 0 or max(chosen) >= len(self) or len(set(chosen)) < len(chosen):
            raise library.InputError(1, f"which: 0 to {len(self) - 1}, each once, not {chosen}")
        return chosen

    def _each(self, which, function):
        """function(i, simulator) of each on the cores; results in order."""
        if self._process != os.getpid():
            self._start()  # os.fork takes no threads along
        which = self._chosen(which)
        left, results, lock = iter(enumerate(which)), [None] * len(which), threading.Lock()
        ends = threading.Event()

        def work():
            while not ends.is_set():
                with lock:
                    k, i = next(left, (None, None))
                if k is None:
                    return
                try:
                    results[k] = function(i, self._sims[i])
                except library.Error as error:
                    ends.set()
                    raise type(error)(error.status, f"simulation {i}: {error}") from error

        work_done = [self._pool.submit(work) for _ in range(self._threads)]
        try:
            for done in work_done:
                done.result()
        finally:
            ends.set()
            wait(work_done)
        return results

    def step(self, count: int = 1, which: Optional[Iterable[int]] = None) -> np.ndarray:
        """Steps of each; [n] bool: whether they have solutions, the others stay where they were and
        `errors` [n] has what was wrong, or None."""
        def step(i, sim):
            self.errors[i] = None
            try:
                sim.step(count)
            except library.NotConverged as error:
                self.errors[i] = error
            return self.errors[i] is None
        return np.array(self._each(which, step), bool)

    def reset(self, which: Optional[Iterable[int]] = None, start=None) -> None:
        """To time 0; start(i): a dict of the arguments of Simulator.reset for simulation i."""
        self._each(which, lambda i, sim: sim.reset(**(start(i) if start else {})))

    def read(self, quantity: str, name: str = "", which=None) -> np.ndarray:
        """A quantity of each: [n, width] or [n, rows, width], yours."""
        found = self._each(which, lambda i, sim: sim.read(quantity, name))
        return np.stack(found) if found else np.zeros((0, *self[0].read(quantity, name).shape))

    def observe(self, column: str, which=None) -> np.ndarray:
        """A column of history.csv of each: [n]."""
        return np.array(self._each(which, lambda i, sim: sim.observe(column)))

    def _rows(self, value, which):
        chosen, value = self._chosen(which), np.asarray(value, dtype=float)
        if value.ndim == 0:
            value = np.full(len(chosen), value)
        if len(value) != len(chosen):
            raise library.InputError(1, f"values of {len(chosen)} simulations are "
                                        f"[{len(chosen)}, ..], not {value.shape}")
        return dict(zip(chosen, value))

    def set(self, what: str, name: str, value, duration: float = 0.0, which=None) -> None:
        """An input of each: value [n, ..], or a number for all (Simulator.set)."""
        rows = self._rows(value, which)
        self._each(list(rows), lambda i, sim: sim.set(what, name, rows[i], duration))

    def assign(self, quantity: str, name: str, value, which=None) -> None:
        """Positions or velocities of each: value [n, ..] (Simulator.assign)."""
        rows = self._rows(value, which)
        self._each(list(rows), lambda i, sim: sim.assign(quantity, name, rows[i]))

    def close(self) -> None:
        """End its threads; simulations that somebody has stay."""
        self._pool.shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
