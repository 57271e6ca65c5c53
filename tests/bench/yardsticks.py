#!/usr/bin/env python3
"""Processor time and memory for an unknown of other programs on the ladder of `make bench T=petsc`.

PETSc's example ex56 (Q1 bricks on a cube, -alpha 1: one material, nu = 0.25) with its own GAMG,
and CalculiX (C3D8I on the bar 4:1:1, nu = 0.3) by its direct and its iterative solver.  What is not
installed is left out: apt install libpetsc3.18-dev-examples calculix-ccx.
"""
import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import tempfile

EX56 = "/usr/share/petsc/3.*/share/petsc/examples/src/ksp/ksp/tutorials/ex56.c"
PETSC = "/usr/lib/petscdir/petsc-real/lib/pkgconfig/petsc.pc"
GAMG = ["-ksp_type", "cg", "-ksp_norm_type", "unpreconditioned", "-ksp_rtol", "1e-8",
        "-pc_type", "gamg", "-ksp_monitor"]
ENV = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(command, folder):
    """Output, processor time [s] and peak memory [B] of a program; None when it fails."""
    with open(os.path.join(folder, "log"), "w+") as log:
        child = subprocess.Popen(command, cwd=folder, env=ENV, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read()
    if child.returncode != 0:
        print(f"{command[0]} ended with {child.returncode}: {text.strip()[-200:]}")
        return None
    return text, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss


def report(name, unknowns, result, iterations):
    """A line of the table for each quantity."""
    _, seconds, memory = result
    for what, value, unit in (("unknowns", unknowns, "1"), ("iterations", iterations, "1"),
                              ("total", 1e6 * seconds / unknowns, "us"),
                              ("bytes", memory / unknowns, "B")):
        if value is not None:
            print(f"{'petsc.' + name + '.' + what:50} {value:11.4g} {unit}", flush=True)


def ex56(cells, folder):
    """PETSc's own cube, built here."""
    sources = glob.glob(EX56)
    if not sources or not os.path.exists(PETSC):
        print("ex56: skipped, apt install libpetsc3.18-dev-examples")
        return
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", PETSC, "ompi-c"], check=True,
                           capture_output=True, text=True).stdout.split()
    program = os.path.join(folder, "ex56")
    subprocess.run(["cc", "-O2", "-w", sources[0], "-o", program, *flags, "-lm"], check=True)
    for n in cells:
        result = run([program, "-ne", str(n), "-alpha", "1", *GAMG], folder)
        if result:
            steps = [int(i) for i in re.findall(r"^ *(\d+) KSP Residual norm", result[0], re.M)]
            report(f"ex56.{n}", 3 * (n + 1) ** 3, result, max(steps))


def write_bar(path, n, solver):
    """The bar of tests/bench/petsc.c: a force across at each vertex, held at x = 0."""
    size = (4 * n + 1, n + 1, n + 1)

    def number(i, j, k):
        return 1 + i + size[0] * (j + size[1] * k)
    with open(path, "w") as f:
        f.write("*NODE, NSET=ALL\n")
        vertices = [(i, j, k) for k in range(size[2]) for j in range(size[1])
                    for i in range(size[0])]
        for i, j, k in vertices:
            f.write(f"{number(i, j, k)}, {i / n!r}, {j / n!r}, {k / n!r}\n")
        f.write("*ELEMENT, TYPE=C3D8I, ELSET=BAR\n")
        cell = 0
        for i, j, k in vertices:
            if i < 4 * n and j < n and k < n:
                cell += 1
                low = [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k),
                       number(i, j + 1, k)]
                high = [v + size[0] * size[1] for v in low]
                f.write(", ".join(map(str, [cell, *low, *high])) + "\n")
        f.write("*NSET, NSET=HELD\n")
        f.writelines(f"{number(0, j, k)},\n" for j in range(size[1]) for k in range(size[2]))
        f.write("*MATERIAL, NAME=M\n*ELASTIC\n1e6, .3\n*SOLID SECTION, ELSET=BAR, MATERIAL=M\n"
                "*BOUNDARY\nHELD, 1, 3\n*STEP\n"
                f"*STATIC, SOLVER={solver}\n*CLOAD\nALL, 3, 1.\n"
                "*NODE PRINT, NSET=HELD, TOTALS=ONLY\nRF\n*END STEP\n")
    return 3 * len(vertices)


def calculix(cells, folder):
    """CalculiX's direct (SPOOLES) and iterative solver (incomplete Cholesky)."""
    if not shutil.which("ccx"):
        print("CalculiX: skipped, apt install calculix-ccx")
        return
    for solver, word in (("SPOOLES", "direct"), ("ITERATIVE CHOLESKY", "iterative")):
        for n in cells:
            unknowns = write_bar(os.path.join(folder, "bar.inp"), n, solver)
            result = run(["ccx", "bar"], folder)
            if result:
                report(f"calculix.{word}.{n}", unknowns, result, None)


def main():
    """Small sizes unless more are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cube", type=int, nargs="*", default=[15, 31])
    parser.add_argument("--bar", type=int, nargs="*", default=[8, 16])
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        ex56(options.cube, folder)
        calculix(options.bar, folder)


if __name__ == "__main__":
    main()
