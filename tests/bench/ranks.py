#!/usr/bin/env python3
"""Runs on one and two ranks: strong and weak scaling, yardstick and cost model.

Bars of bricks (4:1:1, CG + GAMG to 1e-8) by tests/bench/rank_work.c, cubes by it and by
yardsticks/q1_cube.c, which is PETSc and nothing else, and `supple static` as a whole.  The model
knows the rates of memory, messages and sums from micro-benchmarks, and times for a cell or an
unknown from bars of two sizes; it is then held against the other bars.

    python3 tests/bench/ranks.py build/release [--repeats 3] [--most 600000] [--processor]

Alone on the machine: processes that wait for messages keep their cores busy.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

PETSC = "/usr/lib/petscdir/petsc-real/lib/pkgconfig/petsc.pc"
OWN_GAMG = ["-ksp_type", "cg", "-ksp_norm_type", "unpreconditioned", "-pc_type", "gamg"]
ENV = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PHASES = ("assembly", "setup", "solve")
FITTED = (20, 28)          # bricks across a bar of 4:1:1
CHECKED = (24, 32, 36)     # on one and two ranks
WEAK = (20, 24, 28)        # on one rank, and twice as long on two
CUBES = (32, 56)

# Bytes that an iteration of CG + GAMG moves for an unknown: rows of 81 numbers with their columns,
# read once by CG, 11 times by two steps of Chebyshev's polynomial about symmetric Gauss-Seidel
# before and after the coarse correction and once by its residual; coarse levels add a sixth.
ROW = 81 * 12
ITERATION_BYTES = 13 * ROW * 7 / 6
# Of assembly for a brick: its stiffness (300 numbers), 27 / 2 blocks of A read and written.
ASSEMBLY_BYTES = 300 * 8 + 2 * 14 * 72
# Messages of an iteration: products on each of four levels, seven a level, one of CG.
LEVELS, PRODUCTS = 4, 7
SUMS_OF_ITERATION = 3
SUMS_OF_STATIC = 37        # of whole vectors in a linear equilibrium by `supple static`, counted
VECTOR = 24                # bytes of a vertex


def say(name, value, unit):
    """A line of the table, as `make bench` prints them."""
    print(f"{'ranks.' + name:50} {value:12.4g} {unit}", flush=True)
    LINES.append({"name": "ranks." + name, "value": value, "unit": unit, "runs": 1})


LINES = []


def start(ranks, command, env=None):
    """What `command` prints on so many ranks, as {name: value}."""
    line = ["mpiexec", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command]
    done = subprocess.run(line, env=dict(ENV, **(env or {})), capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    values = {}
    for row in done.stdout.splitlines():
        words = row.split()
        if len(words) == 2:
            try:
                values[words[0]] = float(words[1])
            except ValueError:
                pass
    return values


class Runs:
    """Repeated runs in alternation, medians of their times."""

    def __init__(self, folder, repeats, clock):
        self.bench = os.path.join(folder, "bench")
        self.program = os.path.join(folder, "supple")
        self.repeats, self.clock = repeats, clock
        self.kept = {}

    def work(self, what, ranks):
        """rank_work of this once."""
        return start(ranks, [self.bench, "/dev/null", "none", "rank_work"],
                     {"SUPPLE_BENCH_WORK": what})

    def add(self, tasks):
        """{key: function}, each called so many times in turns."""
        taken = {key: [] for key in tasks}
        for _ in range(self.repeats):
            for key, run in tasks.items():
                taken[key].append(run())
        for key, all_of in taken.items():
            self.kept[key] = {name: statistics.median(one[name] for one in all_of)
                              for name in all_of[0]}

    def time(self, key, phase):
        """Seconds of a phase, or of all."""
        if phase == "total":
            return sum(self.time(key, p) for p in PHASES)
        return self.kept[key][f"{phase}.{self.clock}"]


def bar(n, length=4):
    """NX,NY,NZ of a bar n bricks across."""
    return f"{length * n},{n},{n}"


def unknowns_of(n, length=4):
    """Of that bar."""
    return 3 * (length * n + 1) * (n + 1) ** 2


# ---- the model -----------------------------------------------------------------------------------

class Model:
    """Seconds of a linear equilibrium on ranks from what one rank and messages take."""

    def __init__(self, runs, messages):
        alone = -messages[1]["stream"]
        self.rate = {1: alone, 2: min(alone, -messages[2]["stream"])}
        two = messages[2]
        self.latency, self.byte = two["message"], two["byte"]
        self.sum_one, self.sum_many = two["sum.one"], two["sum.many"]

        def fit(ranks, value, size):
            keys = [("bar", n, 4, ranks) for n in FITTED]
            return (sum(value(k) * size(runs.kept[k]) for k in keys) /
                    sum(size(runs.kept[k]) ** 2 for k in keys))
        self.of_cell = fit(1, lambda k: runs.time(k, "assembly"), lambda r: r["cells"])
        self.of_iteration = fit(1, lambda k: runs.time(k, "solve"),
                                lambda r: r["unknowns"] * r["iterations"])
        # PETSc makes coarse matrices of several ranks by other functions than those of one
        self.of_setup = {ranks: ranks * fit(ranks, lambda k: runs.time(k, "setup"),
                                            lambda r: r["unknowns"]) for ranks in (1, 2)}
        self.iterations = {ranks: statistics.mean(runs.kept["bar", n, 4, ranks]["iterations"]
                                                  for n in FITTED) for ranks in (1, 2)}

    def slower(self, ranks, size):
        """Seconds that so many bytes take more where all ranks of a machine use its memory."""
        return size * (1 / self.rate[min(ranks, 2)] - 1 / self.rate[1])

    def message(self, size):
        """One of so many bytes to each neighbour."""
        return self.latency + self.byte * size

    def predict(self, cells, unknowns, shared, ranks):
        """{phase: seconds}; shared: vertices of a rank that others have, too."""
        own, depth = unknowns / ranks, max(ranks - 1, 0).bit_length()
        iterations, setup = self.iterations[min(ranks, 2)], self.of_setup[min(ranks, 2)]
        times = {
            "assembly": self.of_cell * cells / ranks + self.slower(ranks, ASSEMBLY_BYTES * cells
                                                                   / ranks),
            "setup": setup * own,
            "solve": iterations * (self.of_iteration * own
                                   + self.slower(ranks, ITERATION_BYTES * own))}
        if ranks > 1:
            tiles = 14 * shared * 72     # of rows that belong to others
            times["setup"] += 2 * self.message(tiles)
            times["solve"] += iterations * (
                (PRODUCTS * LEVELS + 1) * self.latency
                + (PRODUCTS * 4 / 3 + 1) * self.byte * VECTOR * shared
                + SUMS_OF_ITERATION * self.sum_one * depth)
            times["solve"] += self.byte * 8 * unknowns     # the solution, whole on all ranks
        times["total"] = sum(times.values())
        return times

    def efficiency(self, unknowns, ranks, vectors):
        """Time of one rank over so many times that of so many, with whole vectors that are summed
        `vectors` times; parts are cubes."""
        cells = unknowns / 3
        shared = 6 * (cells / ranks) ** (2 / 3) if ranks > 1 else 0
        alone = self.predict(cells, unknowns, 0, 1)["total"]
        spread = self.predict(cells, unknowns, shared, ranks)["total"]
        spread += vectors * self.sum_many * unknowns if ranks > 1 else 0
        return alone / ranks / spread


# ---- parts ---------------------------------------------------------------------------------------

def measure_messages(runs):
    """Micro-benchmarks on one and two ranks."""
    messages = {}
    for ranks in (1, 2):
        runs.add({("messages", ranks): lambda r=ranks: runs.work("messages", r)})
        messages[ranks] = runs.kept["messages", ranks]
        say(f"memory.{ranks}", -1e-9 * messages[ranks]["stream"], "GB/s")
    say("message.latency", 1e6 * messages[2]["message"], "us")
    say("message.rate", 1e-9 / messages[2]["byte"], "GB/s")
    say("sum.one", 1e6 * messages[2]["sum.one"], "us")
    say("sum.many", 1e9 * messages[2]["sum.many"], "ns a number")
    return messages


def measure_bars(runs, most):
    """Strong: the same bar on one and two ranks; weak: one twice as long on two."""
    for n in sorted(set(FITTED + CHECKED + WEAK)):
        if unknowns_of(n) > most and n not in FITTED:
            continue
        lengths = [(4, 1), (4, 2)] + ([(8, 2)] if n in WEAK else [])
        runs.add({("bar", n, length, ranks):
                  lambda what=bar(n, length), r=ranks: runs.work(what, r)
                  for length, ranks in lengths})
        one, two = ("bar", n, 4, 1), ("bar", n, 4, 2)
        say(f"bar.{n}.unknowns", runs.kept[one]["unknowns"], "1")
        for length, ranks in lengths:
            key = ("bar", n, length, ranks)
            name = f"bar.{n}.{'twice' if length == 8 else 'same'}.{ranks}"
            for phase in PHASES + ("total",):
                say(f"{name}.{phase}", runs.time(key, phase), "s")
            say(f"{name}.iterations", runs.kept[key]["iterations"], "1")
            say(f"{name}.bytes", runs.kept[key]["bytes"] / runs.kept[key]["unknowns"],
                "B an unknown")
        for phase in PHASES + ("total",):
            say(f"strong.{n}.{phase}", runs.time(one, phase) / runs.time(two, phase), "times")
        say(f"strong.{n}.memory", runs.kept[two]["bytes"] / runs.kept[one]["bytes"], "1")
        if n in WEAK:
            for phase in PHASES + ("total",):
                say(f"weak.{n}.{phase}",
                    runs.time(one, phase) / runs.time(("bar", n, 8, 2), phase), "1")


def check_model(runs, model):
    """Every bar that was not fitted."""
    worst = 0
    for key, kept in runs.kept.items():
        if key[0] != "bar" or (key[1] in FITTED and key[2] == 4):
            continue
        _, n, length, ranks = key
        told = model.predict(kept["cells"], kept["unknowns"], kept["shared"], ranks)
        for phase in PHASES + ("total",):
            error = told[phase] / runs.time(key, phase) - 1
            say(f"model.{n}.{'twice' if length == 8 else 'same'}.{ranks}.{phase}", 100 * error,
                "% off")
            if phase == "total":
                worst = max(worst, abs(error))
    say("model.worst_total", 100 * worst, "%")
    for unknowns in (1e6, 1e7, 1e8):
        for vectors, what in ((0, "solution"), (SUMS_OF_STATIC, "static")):
            ranks = 1
            while ranks < 1 << 20 and model.efficiency(unknowns, 2 * ranks, vectors) > .5:
                ranks *= 2
            say(f"model.half.{unknowns:.0e}.{what}", ranks, "ranks")


def measure_cubes(runs, folder, most):
    """Ours and what is PETSc alone."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "yardsticks", "q1_cube.c")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", PETSC, "ompi-c"], check=True,
                           capture_output=True, text=True).stdout.split()
    yardstick = os.path.join(folder, "q1_cube")
    subprocess.run(["cc", "-O2", source, "-o", yardstick, *flags, "-lm"], check=True)
    for n in CUBES:
        if 3 * (n + 1) ** 3 > most:
            continue
        tasks = {}
        for ranks in (1, 2):
            tasks["cube", n, "ours", ranks] = lambda r=ranks: runs.work(f"{n},{n},{n}", r)
            tasks["cube", n, "q1", ranks] = lambda r=ranks: start(
                r, [yardstick, "-n", str(n), *OWN_GAMG])
        runs.add(tasks)
        for ranks in (1, 2):
            for whose in ("ours", "q1"):
                key = ("cube", n, whose, ranks)
                for phase in PHASES + ("total",):
                    say(f"cube.{n}.{whose}.{ranks}.{phase}",
                        1e6 * runs.time(key, phase) / runs.kept[key]["unknowns"], "us an unknown")
                for what, unit in (("iterations", "1"), ("unknowns", "1")):
                    say(f"cube.{n}.{whose}.{ranks}.{what}", runs.kept[key][what], unit)
                say(f"cube.{n}.{whose}.{ranks}.bytes",
                    runs.kept[key]["bytes"] / runs.kept[key]["unknowns"], "B an unknown")
            per = [runs.time(("cube", n, whose, ranks), "total")
                   / runs.kept["cube", n, whose, ranks]["unknowns"] for whose in ("ours", "q1")]
            say(f"cube.{n}.{ranks}.over_q1", per[0] / per[1], "times")
        for whose in ("ours", "q1"):
            say(f"cube.{n}.{whose}.strong",
                runs.time(("cube", n, whose, 1), "total") / runs.time(("cube", n, whose, 2),
                                                                      "total"), "times")


BAR = """supple: 1
time: {step: 10 ms, end: 1 s}
gravity: [0, 0, -9.81]
materials:
  soft: {youngs_modulus: 200 MPa, poissons_ratio: 0.3, density: 1200 kg/m^3}
soft:
  bar:
    mesh: {box: {size: [400 mm, 50 mm, 50 mm], cells: [%d, %d, %d]}}
    material: soft
    clamp: [{half_space: {normal: [1, 0, 0], offset: .1 mm}}]
solver: {backend: petsc}
static: {steps: 1}
output: {every: 1 s, format: none}
"""


def measure_program(runs, folder, most):
    """`supple static` of a bar as it prints and writes everything."""
    n = 20 if 3 * 257 * 21 ** 2 <= most else 10
    scene, out = os.path.join(folder, "bar.yaml"), os.path.join(folder, "out")
    with open(scene, "w", encoding="utf-8") as f:
        f.write(BAR % (12.8 * n, n, n))

    def run(ranks):
        start(ranks, [runs.program, "static", scene, "-o", out, "-q"])
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            wall = json.load(f)["wall"]
        phases = wall["phases"]
        return {"total": wall["total"], "dynamics": phases["dynamics"], "solve": phases["solve"],
                "other": wall["total"] - sum(phases.values())}
    runs.add({("program", ranks): lambda r=ranks: run(r) for ranks in (1, 2)})
    for what in ("dynamics", "solve", "other", "total"):
        one, two = (runs.kept["program", ranks][what] for ranks in (1, 2))
        say(f"static.{what}.1", one, "s")
        say(f"static.{what}.2", two, "s")
        if two > 0:
            say(f"static.{what}.strong", one / two, "times")


def main():
    """Everything, and build/bench_ranks.json."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", help="of the programs: build/release")
    parser.add_argument("--repeats", type=int, default=3, help="of each run, of which the median")
    parser.add_argument("--most", type=float, default=600000, help="unknowns")
    parser.add_argument("--processor", action="store_true",
                        help="processor time, where others use the machine")
    parser.add_argument("-o", "--output", default="build/bench_ranks.json")
    args = parser.parse_args()
    folder = os.path.abspath(args.folder)
    if not shutil.which("mpiexec") or not os.path.exists(os.path.join(folder, "supple-petsc.so")):
        print("ranks: skipped, there is no PETSc or no mpiexec: make petsc")
        return
    runs = Runs(folder, args.repeats, "processor" if args.processor else "wall")
    with tempfile.TemporaryDirectory() as temporary:
        model_of = measure_messages(runs)
        measure_bars(runs, args.most)
        check_model(runs, Model(runs, model_of))
        measure_cubes(runs, temporary, args.most)
        measure_program(runs, temporary, args.most)
    with open(args.output, "w", encoding="utf-8") as f:
        json.dump(LINES, f, indent=0)


if __name__ == "__main__":
    main()
