"""Solver against solver: contact problems of our steps through Siconos' numerics and through ours.

usage: SUPPLE=build/release/supple python3 tests/outside/siconos.py DRIVER [PART OF A CASE'S NAME]
DRIVER is tests/outside/siconos.c, built.  One line a case and solver; exit code 1 when an impulse is
outside its limit.  Solvers of Coulomb's law (NCP) are compared with NSN_AC or PROX, whichever leaves
less of a residual, those of the convex relaxation (CCP) with SOCLCP.
"""
import os
import subprocess
import sys
import tempfile

import numpy

import bodies

NSN_AC, PROX, SOCLCP = 504, 502, 517
LIMIT = 1e-6  # relative, of impulses
SECONDS = 120  # that a solver of Siconos gets
# scene, step, what it is; the last two are FEM
CASES = [
    ("sliding_rod", 2650, "a rod whose end slides and sticks"),
    ("incline", 50, "blocks on a plane, two of them slide"),
    ("shaken_mug", 100, "a mug between two pads, driven joints"),
    ("coin", 30, "a coin that stands on its edge"),
    ("finray_press", 60, "a FinRay finger pressed by a cylinder"),
    ("soft_cube_drop", 40, "a soft cube on the floor"),
]
OURS = {"ncp": ["ncp_pgs", "ncp_staggered"], "ccp": ["ccp_pgs", "ccp_admm"]}


def condense(z):
    """Contacts alone: joint rows that are linear at the solution are eliminated, those that do not
    push are left out.  Returns M = G + R, q = g - c*, mu and the joint rows' own impulses as a
    function of lam, with which their bounds are checked."""
    n = 3 * len(z["mus"])
    M, q = z["G"] + numpy.diag(z["R"]), z["g"] - z["cstar"]
    if n == len(q):
        return M, q, lambda lam: True
    lower, upper, joint = z["lower"], z["upper"], z["lam"][n:]
    inside = (joint > lower) & (joint < upper)
    i = n + numpy.flatnonzero(inside)
    fixed = n + numpy.flatnonzero(~inside)
    q = q + M[:, fixed] @ z["lam"][fixed]
    inverse = numpy.linalg.inv(M[numpy.ix_(i, i)])
    reduced = M[:n, :n] - M[:n, i] @ inverse @ M[i, :n]
    target = q[:n] - M[:n, i] @ inverse @ q[i]

    def is_inside(lam):
        own = -inverse @ (q[i] + M[i, :n] @ lam)
        u = q + M[:, :n] @ lam + M[:, i] @ own
        rest = u[fixed] * numpy.where(joint[fixed - n] <= lower[fixed - n], 1, -1)
        return bool(((own > lower[inside]) & (own < upper[inside])).all() and (rest > 0).all())

    return (reduced + reduced.T) / 2, target, is_inside


def residual(M, q, mu, lam, law):
    """|lam - P(lam - r u)|, P on the friction cone, r = 1/largest eigenvalue, over |lam| [-]."""
    u = (M @ lam + q).reshape(-1, 3)
    if law == "ncp":
        u[:, 2] += mu * numpy.hypot(u[:, 0], u[:, 1])  # de Saxce
    x = lam.reshape(-1, 3) - u / numpy.linalg.eigvalsh(M)[-1]
    t, n = numpy.hypot(x[:, 0], x[:, 1]), x[:, 2]
    normal = numpy.maximum((mu * t + n) / (1 + mu**2), 0)
    keep = t <= mu * n
    scale = numpy.where(keep, 1, mu * normal / numpy.maximum(t, 1e-300))
    p = numpy.stack([scale * x[:, 0], scale * x[:, 1], numpy.where(keep, n, normal)], axis=1)
    return numpy.linalg.norm(lam - p.ravel()) / max(numpy.linalg.norm(lam), 1e-300)


def spread_of(M, lam):
    """Smallest over largest eigenvalue of M on the contacts that push: near 0 their impulses are not
    unique, only what they do to velocities is."""
    pushes = numpy.repeat(lam[2::3] > 1e-9 * lam[2::3].max(), 3)
    values = numpy.linalg.eigvalsh(M[numpy.ix_(pushes, pushes)])
    return max(values[0] / values[-1], 0)


def siconos(driver, path, solver, size):
    """Its impulses; None where it fails, ends the process or takes too long."""
    command = [driver, path, str(solver), "1e-13", "100000"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    rows = [line.split() for line in run.stdout.splitlines()]
    values = [float(x) for row in rows if len(row) == 3 for x in row]
    return numpy.array(values) if len(values) == size and numpy.isfinite(values).all() else None


def supple(path, solver, folder):
    table = os.path.join(folder, "lam.csv")
    bodies.run([bodies.program(), "contact", path, "--solver", solver, "--tolerance", "1e-10",
                "--max-iterations", "300000", "-q", "-o", table], folder)
    return numpy.genfromtxt(table, delimiter=",", skip_header=1, usecols=(2, 3, 4)).ravel()


def compare(driver, folder, scene, step, words):
    path, own = (os.path.join(folder, scene + end) for end in (".npz", "_contacts.npz"))
    bodies.run([bodies.program(), "export", f"examples/{scene}.yaml", "--step", str(step), "-q",
                "-o", path], os.getcwd())
    z = dict(numpy.load(path))
    mu = z["mus"]
    M, q, is_inside = condense(z)
    R = numpy.zeros(len(q))
    numpy.savez(own, G=M, g=q, mus=mu, R=R, cstar=R)
    good = []
    print(f"{scene} step {step}: {words}; {len(mu)} contacts, {len(z['g']) - 3 * len(mu)} joint rows")
    for law, solvers in OURS.items():
        theirs = {s: siconos(driver, own, s, len(q)) for s in ((NSN_AC, PROX) if law == "ncp" else (SOCLCP,))}
        known = {s: residual(M, q, mu, x, law) for s, x in theirs.items() if x is not None}
        if not known:
            print(f"  {law}: MISS, no solver of Siconos solves it")
            good.append(False)
            continue
        best = min(known, key=known.get)
        reference = theirs[best]
        text = ", ".join(f"{s} {'failed' if s not in known else format(known[s], '.1e')}" for s in theirs)
        spread = spread_of(M, reference)
        unique = spread > 1e-9
        print(f"  {law}: residuals of Siconos {text}; smallest eigenvalue of what pushes {spread:.1e}")
        for solver in solvers:
            lam = supple(own, solver, folder)
            change = lam - reference
            energy = numpy.sqrt(abs(change @ M @ change) / (reference @ M @ reference))
            impulse = numpy.linalg.norm(change) / numpy.linalg.norm(reference)
            inside = is_inside(lam) or law == "ccp"
            ok = energy < LIMIT and (impulse < LIMIT or not unique) and inside
            good.append(ok)
            print(f"    {solver:<14} residual {residual(M, q, mu, lam, law):.1e}  velocities {energy:.1e}  "
                  f"impulses {impulse:.1e}{'' if unique else ' (not unique)'}  {'ok' if ok else 'MISS'}",
                  flush=True)
    return good


def main():
    driver = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    if not os.access(driver, os.X_OK):
        print("outside: Siconos is not there, its cases are skipped; Debian: apt-get install libsiconos-numerics-dev")
        return
    good = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if wanted not in case[0]:
                continue
            try:
                good += compare(driver, folder, *case)
            except bodies.Missed as error:
                print(f"{case[0]}: MISS, {error}", flush=True)
                good.append(False)
    print(f"outside: {sum(good)} of {len(good)} comparisons with Siconos within their limits")
    sys.exit(not all(good) if good else 3)


main()
