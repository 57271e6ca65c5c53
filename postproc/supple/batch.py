"""Many states of one model on all cores."""
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Iterable, Optional

import numpy as np

from . import library
from .simulator import Model, Simulator


class Batch:
    """n simulations of one model, which step at the same time: batch[i] is a Simulator.

    Arrays are [n, ..] with what a Simulator has behind.  `which`: numbers of simulations; None:
    all."""

    def __init__(self, model, n: int, threads: Optional[int] = None):
        """model: a Model, or what a Model is made of.  threads: cores used, None: all."""
        if n < 1:
            raise ValueError(f"a batch of {n} simulations; 1 or more are possible")
        self.model = model if isinstance(model, Model) else Model(model)
        self._sims = [self.model.simulator() for _ in range(n)]
        self._threads = min(threads or len(os.sched_getaffinity(0)), n)
        self._pool = ThreadPoolExecutor(self._threads, initializer=lambda: library.threads(1))
        self.errors = [None] * n

    def __len__(self):
        return len(self._sims)

    def __getitem__(self, i: int) -> Simulator:
        return self._sims[i]

    def _each(self, which, function):
        """function(i, simulator) of each on the cores; results in order."""
        which = range(len(self)) if which is None else [int(i) for i in which]
        left, results, lock = iter(enumerate(which)), [None] * len(which), threading.Lock()

        def work():
            while True:
                with lock:
                    k, i = next(left, (None, None))
                if k is None:
                    return
                results[k] = function(i, self._sims[i])

        for done in [self._pool.submit(work) for _ in range(self._threads)]:
            done.result()
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
        return np.stack(self._each(which, lambda i, sim: sim.read(quantity, name)))

    def observe(self, column: str, which=None) -> np.ndarray:
        """A column of history.csv of each: [n]."""
        return np.array(self._each(which, lambda i, sim: sim.observe(column)))

    def _rows(self, value, which):
        count = len(self) if which is None else len(list(which))
        value = np.asarray(value, dtype=float)
        if value.ndim == 0:
            value = np.full(count, value)
        if len(value) != count:
            raise library.InputError(1, f"values of {count} simulations are [{count}, ..], not "
                                        f"{value.shape}")
        numbers = range(count) if which is None else which
        return dict(zip(numbers, value))

    def set(self, what: str, name: str, value, duration: float = 0.0, which=None) -> None:
        """An input of each: value [n, ..], or a number for all (Simulator.set)."""
        rows = self._rows(value, which)
        self._each(which, lambda i, sim: sim.set(what, name, rows[i], duration))

    def assign(self, quantity: str, name: str, value, which=None) -> None:
        """Positions or velocities of each: value [n, ..] (Simulator.assign)."""
        rows = self._rows(value, which)
        self._each(which, lambda i, sim: sim.assign(quantity, name, rows[i]))

    def close(self) -> None:
        """End its threads; simulations that somebody has stay."""
        self._pool.shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
