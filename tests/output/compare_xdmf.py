"""Compare the frames of soft bodies of two runs, of which the first has XDMF.

usage: compare_xdmf.py RUN OTHER BODY [TOLERANCE]
OTHER has XDMF or VTK; the tolerance is relative to the largest number of an array and 0 when it is
not given.  Prints the number of frames and arrays.  exit 0: alike; 1: not; 77: no h5py or VTK here
"""
import os
import re
import sys
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../postproc"))
try:
    import h5py
    import numpy
    from vtk.util.numpy_support import vtk_to_numpy

    import runs
except ImportError as error:
    print(error)
    sys.exit(77)


def arrays(attributes):
    return {attributes.GetArrayName(i): vtk_to_numpy(attributes.GetArray(i)) for i in range(attributes.GetNumberOfArrays())}


def compare(what, a, b, tolerance):
    scale = numpy.abs(b).max() if b.size else 0
    if a.shape != b.shape or a.dtype != b.dtype or numpy.abs(a - b).max() > tolerance * scale:
        sys.exit(f"{what}: {a.shape} {a.dtype}, {b.shape} {b.dtype}: differ by {numpy.abs(a - b).max() / scale}")


def check_list(path):
    """Every array of the list is there, with the shape and the type that the list says."""
    for item in ElementTree.parse(path).iter("DataItem"):
        file, name = item.text.split(":")
        with h5py.File(os.path.join(os.path.dirname(path), file), "r") as h5:
            array = h5[name]
            said = tuple(int(n) for n in item.get("Dimensions").split())
            kind = {"Int": "i", "Float": "f"}[item.get("NumberType")] + item.get("Precision")
            if array.shape != said or array.dtype.str[1:] != kind:
                sys.exit(f"{path}: {item.text} is {array.shape} {array.dtype}, not {said} {kind}")


def main():
    run, other, body = sys.argv[1:4]
    tolerance = float(sys.argv[4]) if len(sys.argv) > 4 else 0
    check_list(os.path.join(run, "vtk", body + ".xdmf"))
    here, there = runs.load_series(run)[body], runs.load_series(other)[body]
    if [t for t, _ in here] != [t for t, _ in there] or not here[0][1].endswith(".h5"):
        sys.exit(f"times {here} and {there}")
    names = 0
    for (_, path), (_, other_path) in zip(here, there):
        a, b = runs.read_frame(path), runs.read_frame(other_path)
        compare("points", vtk_to_numpy(a.GetPoints().GetData()), vtk_to_numpy(b.GetPoints().GetData()), 0)
        for what in "GetConnectivityArray", "GetOffsetsArray":
            compare("cells", *(vtk_to_numpy(getattr(x.GetCells(), what)()) for x in (a, b)), 0)
        if [x.GetCellType(0) for x in (a, b)] != [b.GetCellType(0)] * 2:
            sys.exit("cells of other kinds")
        for kind in "GetPointData", "GetCellData":
            mine, others = arrays(getattr(a, kind)()), arrays(getattr(b, kind)())
            others = {n: v for n, v in others.items() if not re.match("global_", n)}
            if sorted(mine) != sorted(others):
                sys.exit(f"{path}: {sorted(mine)}, not {sorted(others)}")
            for name, values in mine.items():
                compare(f"{path}: {name}", values, others[name], tolerance)
            names += len(mine)
    print(f"{len(here)} frames of {names // len(here)} arrays alike")


main()
