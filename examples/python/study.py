"""A soft block of a numpy mesh on a plane: its height at rest over Young's modulus, as a table.

    python3 study.py

pandas.DataFrame takes the table.
"""
import numpy as np

import supple

SIDE, N = 0.02, 4  # [m], cells along an edge


def block():
    """Hexahedra of a cube: points [m], cells in VTK's order."""
    number = np.arange((N + 1) ** 3).reshape(N + 1, N + 1, N + 1)
    points = np.stack(np.meshgrid(*3 * [np.linspace(0, SIDE, N + 1)], indexing="ij"), -1)
    low, high = slice(0, N), slice(1, N + 1)
    corners = [(low, low, low), (high, low, low), (high, high, low), (low, high, low),
               (low, low, high), (high, low, high), (high, high, high), (low, high, high)]
    return supple.Mesh(points.reshape(-1, 3), np.stack([number[c].ravel() for c in corners], -1))


def scene():
    s = supple.Scene(time={"step": "2 ms", "end": "0.2 s"}, contact={"defaults": {"friction": 0.5}})
    s.material("rubber", youngs_modulus="20 kPa", poissons_ratio=0.45, density="1100 kg/m^3")
    s.rigid("floor", shape={"half_space": {}}, fixed=True)
    s.soft("block", mesh=block(), material="rubber")
    return s


def study(moduli):
    rows = []
    for modulus in moduli:
        sim = scene().simulator(**{"materials.rubber.youngs_modulus": modulus})
        sim.run(0.2)
        x = sim.vertices("block")
        rows.append((modulus, np.ptp(x[:, 2]), sim.energy[""][1], sim.von_mises("block").max()))
    return np.array(rows, [(key, float) for key in ("modulus_Pa", "height_m", "elastic_J",
                                                    "von_mises_Pa")])


if __name__ == "__main__":
    supple.threads(1)
    table = study([1e4, 2e4, 4e4])
    print(*table.dtype.names)
    for row in table:
        print(*(f"{value:.6g}" for value in row))
