"""Load legacy VTK files and .vtk.series with VTK and say what is in them; any warning of VTK is a failure.

usage: load_vtk.py FILE...     exit 0: all good; 1: a warning, NaN or broken series; 77: no VTK here
A line a file: NAME CLASS points N cells N | point NAME[components]=first tuple ... | cell ...
and one NAME range ARRAY=least..most ... of its arrays of one component
"""
import json
import os
import sys

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy
except ImportError as error:
    print(error)
    sys.exit(77)


def describe(attributes):
    words = []
    for i in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(i)
        values = vtk_to_numpy(array)
        if not numpy.isfinite(values).all():
            sys.exit(f"{array.GetName()} holds numbers that are not finite")
        first = ",".join(f"{x:.6g}" for x in numpy.atleast_1d(values[0]).ravel()) if len(values) else "none"
        words.append(f"{array.GetName()}[{array.GetNumberOfComponents()}]={first}")
    return " ".join(words)


def ranges(attributes):
    arrays = [attributes.GetArray(i) for i in range(attributes.GetNumberOfArrays())]
    return "".join(f" {a.GetName()}={a.GetRange()[0]:.6g}..{a.GetRange()[1]:.6g}" for a in arrays
                   if a.GetNumberOfComponents() == 1 and a.GetNumberOfTuples() > 0)


def load(path, window):
    reader = vtk.vtkGenericDataObjectReader()
    for switch in ("Scalars", "Vectors", "Tensors", "Fields", "Normals"):
        getattr(reader, f"ReadAll{switch}On")()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    if window.GetOutput().strip():
        sys.exit(f"{path}: VTK says: {window.GetOutput()}")
    if data is None:
        sys.exit(f"{path}: VTK reads nothing")
    points = data.GetPoints()
    if points and points.GetNumberOfPoints() and not numpy.isfinite(vtk_to_numpy(points.GetData())).all():
        sys.exit(f"{path}: points that are not finite")
    print(f"{os.path.basename(path)} {data.GetClassName()} points {data.GetNumberOfPoints()} cells {data.GetNumberOfCells()}"
          f" | point {describe(data.GetPointData())} | cell {describe(data.GetCellData())}"
          f"\n{os.path.basename(path)} range{ranges(data.GetPointData())}{ranges(data.GetCellData())}")


def load_series(path, window):
    with open(path, encoding="utf-8") as file:
        series = json.load(file)
    times = [entry["time"] for entry in series["files"]]
    if series["file-series-version"] != "1.0" or any(b <= a for a, b in zip(times, times[1:])):
        sys.exit(f"{path}: bad version or times {times}")
    print(f"{os.path.basename(path)} times {' '.join(f'{t:g}' for t in times)}")
    for entry in series["files"]:
        load(os.path.join(os.path.dirname(path), entry["name"]), window)


def main():
    window = vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(window)
    for path in sys.argv[1:]:
        (load_series if path.endswith(".series") else load)(path, window)


main()
