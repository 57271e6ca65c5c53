"""Code against code: the same meshes, materials and loads through CalculiX (ccx) and through Supple.

usage: SUPPLE=build/release/supple python3 tests/outside/calculix.py [PART OF A CASE'S NAME]
One line a case; exit code 1 when a number is outside its limit or a program is missing.
"""
import os
import shutil
import sys
import tempfile
from typing import NamedTuple

import numpy

import bodies
import cube
import elements
import modes
import press
from bodies import Mesh, Missed

E = 2.5e6  # Pa, of all cases
ELEMENTS = {"C3D4": ["--pattern", "kuhn"], "C3D10": ["--pattern", "kuhn", "--order", "2"], "C3D8I": ["--pattern", "hex"]}
BAR = ("box", "--size", "100mm,10mm,10mm", "--cells")
END = ((.0999, -1, -1), (.1001, 1, 1))
UPPER, LOWER = ((.0999, -1, .0049), (.1001, 1, 1)), ((.0999, -1, -1), (.1001, 1, .0051))
THREAD = ("box", "--size", "100mm,0.8mm,0.8mm", "--cells", "40,1,1")
FINGER = ("finray", "--wall-cells", "1", "--inner-cells", "4", "--cavity-cells", "4", "--depth-cells", "2")
FRONT = ((-1e-4, .0279, -1), (1e-4, .0501, 1))


def make_mesh(folder, name, recipe, element):
    vtk, inp = (os.path.join(folder, name + end) for end in (".vtk", "_mesh.inp"))
    bodies.run([bodies.program(), "mesh", *recipe, *ELEMENTS[element], "-o", vtk], folder)
    bodies.run([bodies.program(), "mesh", "convert", vtk, "-o", inp], folder)
    return Mesh(inp)


def skew(x):
    """Parallelepipeds of bricks: shear and stretch."""
    return x @ numpy.array([[1, .1, -.15], [0, 1.2, .3], [0, 0, .9]])


def twist(x):
    """The free end of a bar turned by 30 degrees about its axis: cells with warped faces."""
    angle = numpy.radians(30) * x[:, 0] / .1
    y, z = x[:, 1] - .005, x[:, 2] - .005
    return numpy.stack([x[:, 0], y * numpy.cos(angle) - z * numpy.sin(angle), y * numpy.sin(angle) + z * numpy.cos(angle)], axis=1)


def shake(x):
    """Vertices between the ends moved by up to a twentieth of a brick: bent edges of C3D10, faces of C3D8I that warp."""
    noise = numpy.random.default_rng(1).uniform(-2.5e-4, 2.5e-4, x.shape)
    free = (x[:, 0] > 1e-4) & (x[:, 0] < .0999)
    return x + noise * free[:, None]


def box(b):
    return f"{{box: {{lower: {list(b[0])}, upper: {list(b[1])}}}}}"


def soft_scene(mesh, nu, law, held, tractions):
    """A body held by a fixed wall, whose force and moment are then columns of history.csv."""
    loads = "\n".join(f"      - {{region: {box(b)}, force: {list(f)}}}" for b, f in tractions)
    return f"""supple: 1
time: {{step: 1 s, end: 1 s}}
gravity: [0, 0, 0]
materials: [{{solid: {{youngs_modulus: {E}, poissons_ratio: {nu}, density: 1000, model: {law}}}}}]
rigid: {{wall: {{shape: {{box: {{size: [1 mm, 1 mm, 1 mm]}}}}, mass: 1, fixed: true}}}}
soft:
  body:
    mesh: {{file: {os.path.basename(mesh.path)}}}
    material: solid
    attach: {{link: wall, region: {box(held)}}}
    tractions:
{loads}
output: {{format: ascii}}
"""


def distance(a, b, scale=0):
    """Largest difference over the largest value, or over `scale` where that is larger: forces may cancel."""
    return float(numpy.abs(a - b).max() / max(numpy.abs(b).max(), scale))


class Case(NamedTuple):
    """A held body under tractions by a material law: `linear` without, others with large rotations."""
    name: str
    element: str
    nu: float
    recipe: tuple
    held: tuple  # box
    tractions: list  # (box, force)
    change: object = None  # of the vertices
    law: str = "linear"
    limit: float = 1e-4
    elastica: float = 0  # v/L of the exact inextensible bar, when this one does not lock


def compare(folder, case):
    """Displacements, and force and moment of the support about the origin, by both programs; where their cells are not
    the same (elements.py), the displacements of each against a third code with that program's cell.

    CalculiX's *ELASTIC with NLGEOM is the law of St. Venant-Kirchhoff; our corotated one is the same up to the strain."""
    mesh = make_mesh(folder, case.name, case.recipe, case.element)
    if case.change:
        mesh.x = case.change(mesh.x)
        mesh.write()
    loads, held, note = sum(mesh.loads(b, f) for b, f in case.tractions), mesh.inside(case.held), ""
    large = case.law != "linear"
    u, support = bodies.calculix(case.name + "_ccx", folder, mesh, (E, case.nu), held, loads, large)
    ours, row = bodies.supple(case.name, folder, soft_scene(mesh, case.nu, case.law, case.held, case.tractions))
    wrench = numpy.array([row["attach.body." + c] for c in ("fx", "fy", "fz", "tx", "ty", "tz")])
    theirs = -numpy.concatenate([support.sum(axis=0), numpy.cross(mesh.x, support).sum(axis=0)])
    errors = [distance(ours, u), distance(wrench[:3], theirs[:3], numpy.abs(loads).sum()), distance(wrench[3:], theirs[3:])]
    if not large and is_distorted(mesh):
        note = f"  each against its own cell; the two differ by {errors[0]:.1e}"
        errors[0] = max(distance(w, elements.displacements(mesh, E, case.nu, held, loads, w is u)) for w in (ours, u))
    if case.elastica:
        note = "  off the elastica: ours {:+.2%}, CalculiX {:+.2%}".format(*(-w[mesh.inside(END), 2].mean() / .1 / case.elastica - 1 for w in (ours, u)))
    return report(case.name, mesh.type, f"{1e3 * numpy.abs(u).max():.4f} mm", errors, case.limit, note)


def report(name, element, size, errors, limit, note=""):
    good = all(e <= limit for e in errors)
    print(f"{name:<24} {element:<6} {size:>12} " + " ".join(f"{e:10.1e}" for e in errors) + f"  limit {limit:.0e}  {'ok' if good else 'MISS'}{note}",
          flush=True)
    return good


def is_distorted(mesh):
    """Whether a brick is no parallelepiped or an edge of a quadratic tetrahedron is bent."""
    x = mesh.x[mesh.cells]
    size = numpy.ptp(x, axis=1).max()
    if mesh.type == "C3D8I":
        away = [x[:, a] + x[:, c] - x[:, b] - x[:, d] for a, b, c, d in [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (0, 3, 7, 4)]]
    elif mesh.type == "C3D10":
        away = [x[:, a] + x[:, b] - 2 * x[:, 4 + i] for i, (a, b) in enumerate(elements.EDGES)]
    else:
        return False
    return bool(numpy.abs(away).max() > 1e-9 * size)


def cases():
    bend, pull = [(END, (0, 0, -.005))], [(END, (.3, .002, -.005))]
    turn = [(UPPER, (0, .02, 0)), (LOWER, (0, -.02, 0))]
    root, base = ((-1, -1, -1), (1e-4, 1, 1)), ((-1, -1, -1), (1, 1e-4, 1))
    stubby = (*BAR, "6,2,2")
    for element in ELEMENTS:
        for nu in (.3, .49):
            tag = f"{round(100 * nu)}_{element}"
            yield Case(f"bar_bent_{tag}", element, nu, (*BAR, "20,2,2"), root, bend)
            yield Case(f"bar_twisted_{tag}", element, nu, (*BAR, "20,2,2"), root, turn)
            yield Case(f"finray_{tag}", element, nu, FINGER, base, [(FRONT, (1, 0, 0))])
        yield Case(f"bar_skewed_49_{element}", element, .49, (*BAR, "20,2,2"), root, pull, skew)
        yield Case(f"bar_shaken_30_{element}", element, .3, stubby, root, bend, shake)
        yield Case(f"bar_warped_30_{element}", element, .3, stubby, root, bend, twist)
    # A thin bar bent by loads P L^2/(E I) of 1 and 3 across its end, strains below 0.9 %; C3D4 lock and get ten times as much.
    for element in ELEMENTS:
        times = 10 if element == "C3D4" else 1
        for alpha in (1, 3):
            load = [(END, (0, 0, -times * alpha * E * 8e-4 ** 4 / 12 / .1 ** 2))]
            exact = {1: .301720774, 3: .603253441}[alpha] if times == 1 else 0
            yield Case(f"elastica_{alpha}_{element}", element, .3, THREAD, root, load, law="corotational", limit=2e-3, elastica=exact)
    # Large strains, too: the same law in both programs.
    for name, load in (("pulled", [(END, (50, 0, -3))]), ("bent", [(END, (0, 0, -1))]), ("twisted", [(UPPER, (0, 20, 0)), (LOWER, (0, -20, 0))])):
        yield Case(f"rubber_{name}_C3D4", "C3D4", .3, stubby, root, load, law="saint_venant_kirchhoff")


def compare_cube(folder):
    mesh = make_mesh(folder, "cube", cube.RECIPE, "C3D4")
    theirs, (ours, softening) = cube.calculix(folder, "cube_ccx", mesh), cube.supple(folder, "cube", mesh)
    errors = [abs(a - b) / b for a, b in zip(ours, theirs) if b > .1]  # pressed only: no tangential force
    note = f"  pressed N {ours[0]:.4f} against {theirs[0]:.4f}, sliding N {ours[2]:.4f}, {theirs[2]:.4f}, T {ours[3]:.4f}, {theirs[3]:.4f} N"
    return report("cube_pressed_and_slid", mesh.type, f"{theirs[2]:.4f} N", errors, 1e-3, note) and report(
        "cube_contact_layer", mesh.type, "", [softening], 1e-3)


def compare_press(folder):
    mesh = make_mesh(folder, "press", press.RECIPE, "C3D8I")
    (f, touching, s, u), their_time = press.used_time(press.calculix, folder, "press_ccx", mesh)
    (g, ours, r, w), our_time = press.used_time(press.supple, folder, "press", mesh)
    length = [1e3 * numpy.ptp(mesh.x[sorted(v), 1]) for v in (ours, touching)]
    peaks = [press.mises(x).max() for x in (r, s)]
    note = (f"  force {g:.4f} against {f:.4f} N, contact {length[0]:.2f}, {length[1]:.2f} mm long, {len(ours)}, {len(touching)} vertices,"
            f" stress {peaks[0]:.4g}, {peaks[1]:.4g} Pa, time {our_time:.1f}, {their_time:.1f} s")
    good = report("finger_pressed", mesh.type, f"{f:.4f} N", [distance(w, u), abs(g / f - 1), abs(length[0] - length[1])], 1e-2, note)
    return report("finger_pressed_stress", mesh.type, f"{peaks[1]:.4g} Pa", [distance(r, s), abs(peaks[0] / peaks[1] - 1)], 5e-2) and good


def compare_modes(folder, name, element, nu, recipe, held, traction):
    """Ten frequencies of a held body, of both programs against their own masses (elements.py), and its four lowest
    buckling loads under a traction: by the law of CalculiX, which C3D8I do not have."""
    mesh, good = make_mesh(folder, name, recipe, element), True
    law = "linear_corotational" if element == "C3D8I" else "saint_venant_kirchhoff"
    scene = soft_scene(mesh, nu, law, held, [traction]).replace("    tractions", "    mass: consistent\n    tractions")
    for kind, num in (("frequency", 10), ("buckling", 4)):
        is_buckling = kind == "buckling"
        theirs = modes.calculix(f"{name}_{kind}_ccx", folder, mesh, (E, nu), mesh.inside(held), mesh.loads(*traction) if is_buckling else None, num)
        ours = modes.supple(f"{name}_{kind}", folder, scene, is_buckling, num)
        off = numpy.abs(ours / theirs - 1).max()
        errors, limit = [off], .15 if element == "C3D8I" else 1e-3
        if not is_buckling and len(mesh.x) < 1000:
            own = [elements.frequencies(mesh, E, nu, modes.DENSITY, mesh.inside(held), num, c) for c in (False, True)]
            errors, limit = [numpy.abs(ours / own[0] - 1).max(), 0 if element == "C3D8I" else numpy.abs(theirs / own[1] - 1).max()], 1e-6
        good &= report(f"{name}_{kind}", mesh.type, f"{theirs[0]:.5g}{'' if is_buckling else ' Hz'}", errors, limit, f"  the two differ by {off:.1e}")
    return good


def compare_converged_modes(folder):
    """Six frequencies of a held bar: H8 against C3D8I, which gives mass to its inner modes, too, and against C3D20R, both
    extrapolated by h^2."""
    root, values = ((-1, -1, -1), (1e-4, 1, 1)), []
    for cells in ("24,4,4", "48,8,8"):
        mesh = make_mesh(folder, "bar_" + cells[:2], (*BAR, cells), "C3D8I")
        quadratic = mesh.quadratic(os.path.join(folder, f"bar_{cells[:2]}_quadratic.inp"))
        scene = soft_scene(mesh, .3, "linear_corotational", root, [(END, (0, 0, 0))]).replace("    tractions", "    mass: consistent\n    tractions")
        values.append([modes.supple("bar_modes", folder, scene, False, 6)]
                      + [modes.calculix("bar_modes_ccx", folder, m, (E, .3), m.inside(root), None, 6) for m in (mesh, quadratic)])
    ours, theirs, limits = ((4 * fine - coarse) / 3 for coarse, fine in zip(*values))
    own, off = numpy.abs(values[1][0] / values[1][1] - 1).max(), numpy.abs(ours / limits - 1).max()
    return report("modes_converged", "C3D8I", f"{limits[0]:.5g} Hz", [own, off, numpy.abs(theirs / limits - 1).max()], 1e-3)


def compare_all_modes(folder, wanted):
    root, base = ((-1, -1, -1), (1e-4, 1, 1)), ((-1, -1, -1), (1, 1e-4, 1))
    for element in ELEMENTS:
        for name, recipe, held, traction in ((f"modes_bar_{element}", (*BAR, "12,2,2"), root, (END, (-.1, 0, 0))),
                                             (f"modes_finray_{element}", FINGER, base, (FRONT, (1, 0, 0)))):
            if wanted in name:
                yield attempt(name, compare_modes, folder, name, element, .3, recipe, held, traction)


def attempt(name, function, *arguments):
    """Whether all of a case is within its limits; a program that fails is a miss."""
    try:
        return function(*arguments)
    except Missed as error:
        print(f"{name:<24} MISS  {error}", flush=True)
        return False


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if not shutil.which("ccx"):
        sys.exit("outside: CalculiX (ccx) is not there; Debian: apt-get install calculix-ccx")
    print(f"{'case':<24} {'cell':<6} {'largest':>12} {'u':>10} {'force':>10} {'moment':>10}   (largest difference over largest value)")
    with tempfile.TemporaryDirectory() as folder:
        good = [attempt(case.name, compare, folder, case) for case in cases() if wanted in case.name]
        good += compare_all_modes(folder, wanted)
        if wanted in "modes_converged":
            good.append(attempt("modes_converged", compare_converged_modes, folder))
        if wanted in "cube":
            good.append(attempt("cube", compare_cube, folder))
        if wanted in "finger_pressed":
            good.append(attempt("finger_pressed", compare_press, folder))
    print(f"outside: {sum(good)} of {len(good)} cases within their limits")
    sys.exit(not all(good) if good else 3)


main()
