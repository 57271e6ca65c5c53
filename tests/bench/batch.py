#!/usr/bin/env python3
"""States of a model on one thread and on two by supple.Batch, in turns: wall and processor time.

    PYTHONPATH=postproc python3 tests/bench/batch.py

Lines of a name, a number and its unit, for `make bench`.  Alone on the machine.
"""
import statistics
import time

import supple

STATES, STEPS, TURNS = 8, 10, 9
COLUMNS = "wall", "processor"


def turn(batch):
    """Wall and processor time of the steps [s]."""
    start = time.perf_counter(), time.process_time()
    assert batch.step(STEPS).all()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def main():
    model = supple.Model("examples/finray_grasp.yaml")
    batches = [supple.Batch(model, STATES, threads) for threads in (1, 2)]
    for batch in batches:
        turn(batch)
    times = [[turn(batch) for batch in batches] for _ in range(TURNS)]
    for k, column in enumerate(COLUMNS):
        for j, threads in enumerate(("1_thread", "2_threads")):
            mean = statistics.median(row[j][k] for row in times) / (STATES * STEPS)
            print(f"library.batch.{column}_ms_{threads} {1e3 * mean:.6g} ms")
    for k, name in enumerate(("speedup", "processor_ratio")):
        print(f"library.batch.{name}_2_threads "
              f"{statistics.median(row[0][k] / row[1][k] for row in times):.6g} 1")
    print(f"library.batch.equal_bits {int(len({sim.hash for b in batches for sim in b}) == 1)} 1")


if __name__ == "__main__":
    main()
