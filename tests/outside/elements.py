"""Two cells written once more, in either program's way: what differs between the programs on distorted meshes.

C3D8I: trilinear brick with three modes 1 - xi_k^2 a component.  Supple scales their gradients by j0/j (Taylor, Beresford,
Wilson 1976), so that their mean vanishes and the patch test holds on any shape; CalculiX takes the Jacobian at the
centre alone.  On parallelepipeds j0 = j.
C3D10: CalculiX integrates the stiffness at four points, Supple at the corners and the centres of the faces.  With
straight edges and vertices in the middle of them both rules are exact.
Masses: Supple's consistent ones are exact on cells with straight edges; CalculiX integrates those of C3D10 at the same
four points, those of C3D4 at one; its C3D8I gives mass to the three modes, too.
"""
import itertools

import numpy

CORNERS = numpy.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)], float)
EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def elasticity(modulus, nu):
    """6 x 6 [Pa], shear strains doubled."""
    lam, mu = modulus * nu / (1 + nu) / (1 - 2 * nu), modulus / 2 / (1 + nu)
    return numpy.diag([2 * mu] * 3 + [mu] * 3) + lam * numpy.outer([1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0])


def strain_matrix(gradient):
    """B (cells, 6, 3 n) of gradients (cells, n, 3)."""
    B = numpy.zeros((len(gradient), 6, 3 * gradient.shape[1]))
    for i in range(3):
        B[:, i, i::3] = gradient[:, :, i]
    for row, (i, j) in enumerate(((0, 1), (1, 2), (2, 0)), start=3):
        B[:, row, i::3], B[:, row, j::3] = gradient[:, :, j], gradient[:, :, i]
    return B


def stiffness_share(B, C, volume):
    return numpy.swapaxes(B, 1, 2) @ (C @ B) * volume[:, None, None]


def jacobian(x, slopes):
    """dx/dxi (cells, 3, 3) of vertices (cells, n, 3)."""
    return numpy.swapaxes(x, 1, 2) @ slopes


def brick_slopes(xi):
    f = 1 + CORNERS * xi
    return CORNERS / 8 * numpy.stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]], axis=1)


def bricks(x, C, taylor):
    """Stiffness (cells, 24, 24) of C3D8I."""
    J0, K = jacobian(x, brick_slopes(numpy.zeros(3))), 0
    for xi in itertools.product((-3 ** -.5, 3 ** -.5), repeat=3):
        slopes = brick_slopes(numpy.array(xi))
        J = jacobian(x, slopes)
        volume = numpy.linalg.det(J)
        modes = -2 * numpy.diag(xi) @ numpy.linalg.inv(J0)
        if taylor:
            modes *= (numpy.linalg.det(J0) / volume)[:, None, None]
        B = strain_matrix(numpy.concatenate([slopes @ numpy.linalg.inv(J), modes], axis=1))
        K = K + stiffness_share(B, C, volume)
    return K[:, :24, :24] - K[:, :24, 24:] @ numpy.linalg.solve(K[:, 24:, 24:], K[:, 24:, :24])


def tet_rule(four_points):
    """Barycentric points and weights of the volume."""
    if four_points:
        a = (5 - 5 ** .5) / 20
        return [(numpy.full(4, a) + (1 - 4 * a) * corner, 1 / 4) for corner in numpy.eye(4)]
    return [(corner, 1 / 40) for corner in numpy.eye(4)] + [((1 - corner) / 3, 9 / 40) for corner in numpy.eye(4)]


def quadratic_tets(x, C, four_points):
    """Stiffness (cells, 30, 30) of C3D10."""
    K, dL = 0, numpy.vstack([[-1, -1, -1], numpy.eye(3)])
    for L, weight in tet_rule(four_points):
        slopes = numpy.vstack([(4 * L[:, None] - 1) * dL, [4 * (L[a] * dL[b] + L[b] * dL[a]) for a, b in EDGES]])
        J = jacobian(x, slopes)
        K = K + stiffness_share(strain_matrix(slopes @ numpy.linalg.inv(J)), C, weight / 6 * numpy.linalg.det(J))
    return K


def linear_tets(x, C):
    """Stiffness (cells, 12, 12) of C3D4."""
    slopes = numpy.vstack([[-1, -1, -1], numpy.eye(3)])
    J = jacobian(x, slopes)
    return stiffness_share(strain_matrix(slopes @ numpy.linalg.inv(J)), C, numpy.linalg.det(J) / 6)


def masses(x, element, as_calculix):
    """Consistent masses (cells, n, n) over the density."""
    if element == "C3D8I":
        return sum(numpy.linalg.det(jacobian(x, brick_slopes(xi)))[:, None, None] * numpy.outer(N, N)
                   for xi in CORNERS / 3 ** .5 for N in [numpy.prod(1 + CORNERS * xi, axis=1) / 8])
    g, w = numpy.polynomial.legendre.leggauss(4)  # on the cube that collapses to the tetrahedron
    points = [(numpy.array([(1 - a) * (1 - b) * (1 - c), a, b * (1 - a), c * (1 - a) * (1 - b)]), u * v * q * (1 - a) ** 2 * (1 - b))
              for (a, u), (b, v), (c, q) in itertools.product(list(zip((g + 1) / 2, w / 2)), repeat=3)]
    if as_calculix:
        points = [(L, weight / 6) for L, weight in tet_rule(True)] if element == "C3D10" else [(numpy.full(4, 1 / 4), 1 / 6)]
    if element == "C3D10":
        points = [(numpy.concatenate([L * (2 * L - 1), [4 * L[a] * L[b] for a, b in EDGES]]), weight) for L, weight in points]
    mass = sum(weight * numpy.outer(N, N) for N, weight in points)
    return numpy.linalg.det(x[:, 1:4] - x[:, :1])[:, None, None] * mass


def frequencies(mesh, modulus, nu, density, held, num, as_calculix):
    """The lowest frequencies [Hz] with consistent masses; edges are straight."""
    C, n, x = elasticity(modulus, nu), len(mesh.x), mesh.x[mesh.cells]
    K, M = numpy.zeros((3 * n, 3 * n)), numpy.zeros((3 * n, 3 * n))
    cells = {"C3D8I": lambda: bricks(x, C, True), "C3D10": lambda: quadratic_tets(x, C, True), "C3D4": lambda: linear_tets(x, C)}[mesh.type]()
    for cell, k, m in zip(mesh.cells, cells, masses(x, mesh.type, as_calculix)):
        dof = (3 * cell[:, None] + numpy.arange(3)).ravel()
        K[numpy.ix_(dof, dof)] += k
        M[numpy.ix_(dof, dof)] += density * numpy.kron(m, numpy.eye(3))
    free = numpy.setdiff1d(numpy.arange(3 * n), (3 * held[:, None] + numpy.arange(3)).ravel())
    factor = numpy.linalg.inv(numpy.linalg.cholesky(M[numpy.ix_(free, free)]))
    return numpy.sqrt(numpy.linalg.eigvalsh(factor @ K[numpy.ix_(free, free)] @ factor.T)[:num]) / (2 * numpy.pi)


def displacements(mesh, modulus, nu, held, loads, as_calculix):
    """K u = f of a mesh of C3D8I or C3D10 [m]."""
    C, n = elasticity(modulus, nu), len(mesh.x)
    K = numpy.zeros((3 * n, 3 * n))
    x = mesh.x[mesh.cells]
    cells = bricks(x, C, not as_calculix) if mesh.type == "C3D8I" else quadratic_tets(x, C, as_calculix)
    for cell, k in zip(mesh.cells, cells):
        dof = (3 * cell[:, None] + numpy.arange(3)).ravel()
        K[numpy.ix_(dof, dof)] += k
    free = numpy.setdiff1d(numpy.arange(3 * n), (3 * held[:, None] + numpy.arange(3)).ravel())
    u = numpy.zeros(3 * n)
    u[free] = numpy.linalg.solve(K[numpy.ix_(free, free)], loads.ravel()[free])
    return u.reshape(n, 3)
