"""Case F16 on layers of finite thickness: a rigid ball pressed into a soft layer that is bonded to
its base, against the exact solution of linear elasticity, and the same layers on a refined mesh.

Frictionless contact with a layer of thickness h (Vorovich, Aleksandrov, Babeshko 1974; Lebedev and
Ufliand 1958): with the pressure's Hankel transform P(k) = int_0^a phi(t) cos(kt) dt and surface
displacement 2/E* int P L(kh) J0(kr) dk,
    phi(t) - 2/pi int_0^a phi(s) int_0^inf (1 - L(kh)) cos(kt) cos(ks) dk ds = E*/pi (d - t^2/R),
    phi(a) = 0,    F = 2 pi int phi dt,
L(w) = (2 c sinh 2w - 4w)/(2 c cosh 2w + 4 w^2 + 1 + c^2), c = 3 - 4 nu.  L = 1 is the half space:
F = 4/3 E* sqrt(R) d^1.5."""
import os
import sys

import numpy as np
from experiment import Experiment

R, E, DEPTH = 0.01, 1e6, 1e-5


def exact(nu, h, depth, points=60):
    """Force [N] and contact radius [m]."""
    modulus, c = E / (1 - nu**2), 3 - 4 * nu
    w, dw = np.linspace(1e-9, 40, 4001, retstep=True)
    weight = dw / 3 * np.where(np.arange(len(w)) % 2, 4, 2)  # Simpson
    weight[[0, -1]] = dw / 3
    weight *= 1 - (2 * c * np.sinh(2 * w) - 4 * w) / (
        2 * c * np.cosh(2 * w) + 4 * w**2 + 1 + c**2
    )
    s, g = np.polynomial.legendre.leggauss(points)

    def at(a):
        t, gt = a * (s + 1) / 2, a * g / 2
        cosine, edge = np.cos(np.outer(t, w / h)), np.cos(a * w / h)
        kernel = cosine * weight @ cosine.T / h
        phi = np.linalg.solve(
            np.eye(points) - 2 / np.pi * kernel * gt, modulus / np.pi * (depth - t**2 / R)
        )
        return (
            2 * np.pi * phi @ gt,
            modulus / np.pi * (depth - a**2 / R)
            + 2 / np.pi * (edge * weight @ cosine.T / h * gt) @ phi,
        )

    low, high = 0.2 * np.sqrt(R * depth), 2 * np.sqrt(R * depth)
    for _ in range(50):
        a = (low + high) / 2
        low, high = (a, high) if at(a)[1] > 0 else (low, a)
    return at(a)[0], a


def grade(fine, fine_to, end):
    """Coordinates from 0 to end: cells of `fine`, then each 1.8 times the last."""
    x = list(np.linspace(0, fine_to, round(fine_to / fine) + 1))
    step = fine
    while x[-1] < end:
        step *= 1.8
        x.append(x[-1] + step)
    x = np.array(x)
    outer = x > fine_to
    x[outer] = fine_to + (x[outer] - fine_to) * (end - fine_to) / (x[-1] - fine_to)
    return x


def write_mesh(path, x, z):
    """Bricks on the grid x, x, z: legacy VTK."""
    n, m = len(x), len(z)
    point = [f"{a:.17g} {b:.17g} {c:.17g}" for c in z for b in x for a in x]
    index = lambda i, j, k: i + n * (j + n * k)
    corner = (
        (0, 0, 0),
        (1, 0, 0),
        (1, 1, 0),
        (0, 1, 0),
        (0, 0, 1),
        (1, 0, 1),
        (1, 1, 1),
        (0, 1, 1),
    )
    cell = [
        "8 " + " ".join(str(index(i + a, j + b, k + c)) for a, b, c in corner)
        for k in range(m - 1)
        for j in range(n - 1)
        for i in range(n - 1)
    ]
    with open(path, "w") as file:
        file.write("# vtk DataFile Version 3.0\nlayer\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        file.write(f"POINTS {len(point)} double\n" + "\n".join(point))
        file.write(f"\nCELLS {len(cell)} {9 * len(cell)}\n" + "\n".join(cell))
        file.write(f"\nCELL_TYPES {len(cell)}\n" + "12\n" * len(cell))


SCENE = """supple: 1
time: {{step: 1, end: 4}}
gravity: [0, 0, 0]
solver: {{tolerance: 1e-9}}
materials: {{gel: {{youngs_modulus: {E}, poissons_ratio: {nu}, density: 1000}}}}
rigid:
  ball: {{shape: {{sphere: {{radius: {R}}}}}, mass: 1, pose: {{position: [0, 0, {R}]}}, contact: \
{{friction: 0}}, motion: [[0, 0, 0, 0, 0, 0, 0], [1, 0, 0, -{depth}, 0, 0, 0]]}}
soft:
  layer: {{mesh: {{file: {mesh}}}, material: gel, contact: {{friction: 0}}, clamp: [{{half_space: \
{{normal: [0, 0, 1], offset: -{base}}}}}]}}
output: {{format: none, pairs: [[ball, layer]]}}
"""


def press(e, nu, h, fine):
    """Force [N] on the ball at rest; cells of `fine` where they touch."""
    side = grade(fine, 5 * DEPTH**0.5 * R**0.5 / 4, max(5 * h, 10 * DEPTH**0.5 * R**0.5))
    x, z = np.concatenate([-side[:0:-1], side]), -grade(fine, min(2 * fine, h), h)[::-1]
    label = f"layer-{nu}-{1e6 * h:.0f}um-{1e6 * fine:.0f}um"
    write_mesh(os.path.join(e.folder, label + ".vtk"), x, z)
    scene = SCENE.format(E=E, nu=nu, R=R, depth=DEPTH, mesh=label + ".vtk", base=h * (1 - 1e-9))
    return -e.run(label, scene)["contact.ball.layer.fz"][-1]


def main():
    e = Experiment("layer", "F16 on layers")
    a = np.sqrt(R * DEPTH)
    half = 4 / 3 * E * np.sqrt(R) * DEPTH**1.5
    e.head(f"ball of {1e3 * R:g} mm, {1e6 * DEPTH:g} um deep in a layer: force [N]")
    for nu in (0.3, 0.49):
        for h in (20 * a, 5 * a, 2 * a, a):
            force = exact(nu, h, DEPTH)[0]
            ratio = force * (1 - nu**2) / half
            e.check(
                f"nu = {nu}, layer of {h / a:g} a ({ratio:.3f} half spaces), cells of a/3",
                press(e, nu, h, a / 3),
                force,
                rtol=0.05,
            )
    for nu in (0.3, 0.49):
        e.check(
            f"nu = {nu}, layer of 1 a, cells of a/6",
            press(e, nu, a, a / 6),
            exact(nu, a, DEPTH)[0],
            rtol=0.03,
        )
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
