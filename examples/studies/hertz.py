#!/usr/bin/python3
"""Mesh and picture of the study hertz.yaml: a ball on a block against Hertz.

  examples/studies/hertz.py mesh examples/studies/hertz_block.vtk   # a quarter of the block
  examples/studies/hertz.py plot out/hertz -o hertz.png             # pressure of each level
"""
import argparse
import csv
import math
import os
import sys

CELLS = (0.707, 1.77, 4.4, 11, 27.6, 69)  # mm, along each axis from the contact on; a = 0.707 mm
RADIUS, DEPTH, MODULUS = 0.01, 50e-6, 1e6 / (1 - 0.3**2)  # of hertz_contact.yaml [m], [m], [Pa]


def write_mesh(path):
    x = [0.0]
    for cell in CELLS:
        x.append(x[-1] + 1e-3 * cell)
    n = len(x)
    points = [(x[i], x[j], -x[k]) for k in range(n) for j in range(n) for i in range(n)]

    def at(i, j, k):
        return i + n * (j + n * k)

    cells = []
    for k in range(n - 1):
        for j in range(n - 1):
            for i in range(n - 1):
                low, high = k + 1, k  # z falls with k
                cells.append(
                    [
                        at(i, j, low),
                        at(i + 1, j, low),
                        at(i + 1, j + 1, low),
                        at(i, j + 1, low),
                        at(i, j, high),
                        at(i + 1, j, high),
                        at(i + 1, j + 1, high),
                        at(i, j + 1, high),
                    ]
                )
    with open(path, "w", encoding="ascii") as file:
        file.write(
            "# vtk DataFile Version 3.0\nquarter of a block for Hertz's contact\nASCII\nDATASET "
            "UNSTRUCTURED_GRID\n"
        )
        file.write("POINTS %d double\n" % len(points))
        file.writelines("%.9g %.9g %.9g\n" % p for p in points)
        file.write("CELLS %d %d\n" % (len(cells), 9 * len(cells)))
        file.writelines("8 " + " ".join(map(str, c)) + "\n" for c in cells)
        file.write("CELL_TYPES %d\n" % len(cells))
        file.write("12\n" * len(cells))


def pressure_of(level):
    """Distance from the axis [m] of the vertices that are pressed, and the pressure there [Pa], in
    the level's last frame."""
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    folder = os.path.join(level, "vtk")
    reader = vtk.vtkDataSetReader()
    reader.SetFileName(
        os.path.join(folder, max(name for name in os.listdir(folder) if name.startswith("block_")))
    )
    reader.ReadAllVectorsOn()
    reader.Update()
    grid = reader.GetOutput()
    x, pressure = vtk_to_numpy(grid.GetPoints().GetData()).astype(float), vtk_to_numpy(
        grid.GetPointData().GetArray("contact_pressure")
    )
    pressed = pressure > 0
    return numpy.hypot(x[pressed, 0], x[pressed, 1]), pressure[pressed]


def plot(study, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy

    a = math.sqrt(RADIUS * DEPTH)
    p0, force = 2 * MODULUS * a / (math.pi * RADIUS), 4 / 3 * MODULUS * a * DEPTH
    print(f"Hertz    {force:.5f} N, radius {1e3 * a:.3f} mm, peak {1e-3 * p0:.2f} kPa")
    figure, axes = plt.subplots(figsize=(7, 4.4), constrained_layout=True)
    levels = sorted(name for name in os.listdir(study) if name.startswith("level_"))
    for i, name in enumerate(levels):
        r, pressure = pressure_of(os.path.join(study, name))
        with open(os.path.join(study, name, "history.csv"), newline="", encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        f, radius = (4 * float(last["contact.block.ball." + column]) for column in ("fz", "area"))
        radius = math.sqrt(radius / math.pi)
        print(
            f"{name} {f:.5f} N, radius {1e3 * radius:.3f} mm, peak {1e-3 * pressure.max():.2f} kPa"
        )
        axes.plot(
            1e3 * r,
            1e-3 * pressure,
            ".",
            ms=12 - 2 * i,
            label=f"{2**i} cell{'s' if i else ''} to the radius: {f:.4f} N",
        )
    r = numpy.linspace(0, a, 200)
    axes.plot(
        1e3 * r, 1e-3 * p0 * numpy.sqrt(1 - (r / a) ** 2), "k-", lw=1, label=f"Hertz: {force:.4f} N"
    )
    axes.set(
        xlabel="distance from the axis [mm]",
        ylabel="pressure at the vertices [kPa]",
        xlim=(0, 1.25e3 * a),
        ylim=(0, None),
    )
    axes.set_title(f"Ball of {1e3 * RADIUS:g} mm pressed {1e6 * DEPTH:g} um into a block of 1 MPa")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)
    print(path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("mesh", help="write the mesh").add_argument("file", metavar="FILE.vtk")
    drawing = commands.add_parser("plot", help="draw a study's pressures")
    drawing.add_argument("study", metavar="STUDY_DIR")
    drawing.add_argument("-o", "--output", metavar="PNG", help="default: STUDY_DIR/hertz.png")
    arguments = parser.parse_args()
    try:
        if arguments.command == "mesh":
            write_mesh(arguments.file)
        else:
            plot(arguments.study, arguments.output or os.path.join(arguments.study, "hertz.png"))
    except (OSError, ValueError) as error:
        sys.exit(f"hertz.py: {error}")


main()
