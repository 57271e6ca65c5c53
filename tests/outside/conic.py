"""Solver against solver: steps of SAP and of Coulomb's convex relaxation through a conic
interior-point method, coneqp of CVXOPT, and through ours.

usage: SUPPLE=build/release/supple python3 tests/outside/conic.py [PART OF A CASE'S NAME]
The dual problem of a step (P3 III; P4 14) is a quadratic programme on second-order cones,

    min over lam:  1/2 lam (G + R) lam + (g - c*) lam,   |lam_T| <= mu lam_N,   joints' bounds.

Newton on SAP knows no cones, the interior-point method no projections.  One line a solver; exit
code 1 when velocities differ by more than LIMIT and than the gap explains, |d|^2_M <= 2 gap.
"""
import csv
import os
import sys
import tempfile
import time

import numpy

import bodies

try:
    import cvxopt
    import cvxopt.solvers
except ImportError:
    cvxopt = None

LIMIT = 1e-6  # of velocities, relative; or what the method's own gap leaves open
# scene, step, settings, solvers of ours, what it is
LAGGED = []  # normal laws are tangents at the stored solution: the problem is G, g, R, c*
SAP = ["--set", "contact.model=sap"]
NEAR_RIGID = SAP + ["--set", "contact.defaults.point.stiffness=2.0e12"]
ALL = ["newton", "ccp_pgs", "ccp_admm"]
CASES = [
    ("incline", 50, SAP, ALL, "blocks on a plane, two of them slide"),
    ("clutter", 300, SAP, ALL, "40 objects in the impacts of their fall"),
    ("clutter", 1500, NEAR_RIGID, ALL, "the same at rest, near rigid"),
    ("shaken_mug", 100, SAP, ALL, "a mug between two pads, driven joints"),
    ("shaken_mug", 100, LAGGED, ALL[1:], "the same by the relaxation of Coulomb's law"),
    ("coin", 30, LAGGED, ALL[1:], "a coin that stands on its edge, relaxed"),
    ("finray_press", 60, SAP, ALL, "a FinRay finger pressed by a cylinder"),
    ("soft_cube_drop", 40, SAP, ALL, "a soft cube on the floor"),
]


def cone_problem(z):
    """P, q, G, h, dims of coneqp for x = lam/scale; one length of scale a contact keeps cones."""
    contacts, n = len(z["mus"]), len(z["g"])
    M = z["G"] + numpy.diag(z["R"])
    diagonal = numpy.diag(M).copy()
    scale = 1 / numpy.sqrt(diagonal)
    for i in range(contacts):
        scale[3 * i : 3 * i + 3] = 1 / numpy.sqrt(diagonal[3 * i : 3 * i + 3].mean())
    P, q = scale[:, None] * M * scale, scale * (z["g"] - z["cstar"])
    size = max(numpy.abs(q).max(), 1e-300)  # lam of order 1
    rows, h = [], []
    for j in range(3 * contacts, n):
        for sign, bound in ((1, z["upper"][j - 3 * contacts]), (-1, -z["lower"][j - 3 * contacts])):
            if numpy.isfinite(bound):
                rows.append((j, sign)), h.append(bound / scale[j] / size)
    linear = len(rows)
    A = numpy.zeros((linear + 3 * contacts, n))
    for k, (j, sign) in enumerate(rows):
        A[k, j] = sign
    for i in range(contacts):
        k = linear + 3 * i
        A[k, 3 * i + 2], A[k + 1, 3 * i], A[k + 2, 3 * i + 1] = -z["mus"][i], -1, -1
    h = numpy.concatenate([h, numpy.zeros(3 * contacts)])
    return P, q / size, A, h, {"l": linear, "q": [3] * contacts, "s": []}, scale * size


def interior_point(z):
    """lam [N s], the gap over the cost that the method ends with, iterations, seconds."""
    P, q, A, h, dims, scale = cone_problem(z)
    m = cvxopt.matrix
    cvxopt.solvers.options.update(
        show_progress=False, abstol=1e-15, reltol=1e-14, feastol=1e-13, maxiters=200)
    start = time.process_time()
    out = cvxopt.solvers.coneqp(m(P), m(q), m(A), m(h), dims)
    cost = max(abs(out["primal objective"]), 1e-300)
    return (scale * numpy.array(out["x"]).ravel(), abs(out["gap"]) / cost, out["iterations"],
            time.process_time() - start)


def supple(path, solver, folder, form):
    """lam of all rows of one of ours, as tight as it goes."""
    table = os.path.join(folder, "lam.csv")
    tolerance, most = ("1e-13", "1000") if solver == "newton" else ("1e-11", "300000")
    bodies.run([bodies.program(), "contact", path, "--solver", solver, "--tolerance", tolerance,
                "--max-iterations", most, "-q", "-o", table] + form, folder)
    with open(table, encoding="utf-8") as file:
        return numpy.array([float(x) for row in list(csv.reader(file))[1:] for x in row[2:5] if x])


def compare(folder, scene, step, settings, solvers, words):
    path = os.path.join(folder, scene + ".npz")
    bodies.run([bodies.program(), "export", f"examples/{scene}.yaml", "--step", str(step), "-q",
                "-o", path] + settings, os.getcwd())
    z = dict(numpy.load(path))
    M = z["G"] + numpy.diag(z["R"])
    reference, gap, iterations, seconds = interior_point(z)
    size = numpy.sqrt(reference @ M @ reference)
    cost = lambda lam: 0.5 * lam @ M @ lam + (z["g"] - z["cstar"]) @ lam
    limit = max(LIMIT, numpy.sqrt(2 * gap * abs(cost(reference))) / size)
    print(f"{scene} step {step}: {words}; {len(z['mus'])} contacts, "
          f"{len(z['g']) - 3 * len(z['mus'])} joint rows; coneqp: {iterations} iterations, "
          f"{seconds:.2f} s, gap over cost {gap:.0e}, limit {limit:.1e}")
    good = []
    for solver in solvers:
        lam = supple(path, solver, folder, [] if settings else ["--delassus"])
        change = lam - reference
        velocities = numpy.sqrt(abs(change @ M @ change)) / size
        lower = (cost(lam) - cost(reference)) / abs(cost(reference))
        good.append(velocities < limit)
        print(f"    {solver:<10} velocities {velocities:.1e}  impulses "
              f"{numpy.linalg.norm(change) / numpy.linalg.norm(reference):.1e}  cost less theirs "
              f"{lower:+.0e}  {'ok' if good[-1] else 'MISS'}", flush=True)
    return good


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if not cvxopt:
        print("outside: CVXOPT is not there, its cases are skipped; "
              "Debian: apt-get install python3-cvxopt")
        return
    good = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if wanted not in case[0]:
                continue
            try:
                good += compare(folder, *case)
            except bodies.Missed as error:
                print(f"{case[0]}: MISS, {error}", flush=True)
                good.append(False)
    print(f"outside: {sum(good)} of {len(good)} comparisons with CVXOPT within their limits")
    sys.exit(not all(good) if good else 3)


main()
