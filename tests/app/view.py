"""What the keys of `supple view` do, and the script for ParaView: view.py RUN_DIR
RUN_DIR_WITH_FLOOR, under a screen."""
import os
import sys
import time
import types

sys.path.insert(0, "postproc")
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

import runs
import view


def colours(path):
    """How many colours a picture has."""
    reader = vtk.vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    return len(numpy.unique(pixels, axis=0))


def press(viewer, *keys):
    for key in keys:
        viewer.interactor.SetKeySym(key)
        viewer.interactor.InvokeEvent("KeyPressEvent")


def check_window(folder):
    viewer = view.Viewer(view.Run(folder), view.parse([folder]))
    viewer.interactor.Initialize()
    last = len(viewer.run.times()) - 1
    assert viewer.k == last and viewer.field == "von_mises_recovered"
    high = viewer.table.GetTableRange()[1]
    press(viewer, "Home", "Right")
    assert viewer.k == 1 and viewer.table.GetTableRange()[1] == high  # of all that was seen
    press(viewer, "r")
    assert viewer.table.GetTableRange()[1] < high  # of this frame
    press(viewer, "End", "f", "plus", "e", "g", "c")
    assert viewer.k == last and viewer.field == "von_mises" and viewer.factor == 1.25
    curves = viewer.run.curves()[1]
    assert viewer.curve == next(iter(curves)) and viewer.curve.startswith("contact.")
    assert all(len(set(values)) > 1 for group in curves.values() for values in group.values())
    assert not viewer.rigid.GetVisibility()
    bar, pressures = viewer.bar, viewer.pressure_bar
    assert [b.GetTitle().split()[-1] for b in (bar, pressures)] == ["[kPa]", "[kPa]"]
    table = viewer.table.GetTableRange()
    shown = bar.GetLookupTable().GetTableRange()
    assert numpy.allclose(shown, numpy.multiply(table, 1e-3))
    assert viewer.window.GetRenderers().GetNumberOfItems() == 2
    press(viewer, "x", "F", "g", "Home", "space")
    assert viewer.curve is None and viewer.is_playing
    viewer.last_tick = time.monotonic() - viewer.run.times()[-1] / 2  # half of the run has passed
    viewer.on_tick(None, None)
    assert 0 < viewer.k < last
    press(viewer, "space", "s")
    assert colours(os.path.join(folder, f"view_{viewer.k:04d}.png")) > 200
    slider = viewer.time_slider.GetRepresentation()
    slider.SetValue(viewer.run.times()[2])
    viewer.on_time(viewer.time_slider, None)
    assert viewer.k == 2
    fixed = view.Viewer(view.Run(folder), view.parse([folder, "--range", "0,5", "--time", "0"]))
    assert fixed.k == 0 and fixed.table.GetTableRange() == (0, 5)


def check_floor(folder):
    """The picture holds the bodies; the floor may reach beyond."""
    viewer = view.Viewer(view.Run(folder), view.parse([folder]))
    box, whole = viewer.bounds(), viewer.rigid.GetBounds()
    assert 0.17 < box[5] - box[4] < 0.2 and box[1] - box[0] < 0.2 < whole[1] - whole[0]


class Recorder:
    """Stands for everything of ParaView and notes what is asked of it."""

    calls = []

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        return Recorder(f"{self.name}.{name}")

    def __call__(self, *words, **more):
        self.calls.append((self.name, words))
        return Recorder(self.name)


def check_script(folder):
    """It runs, opens every series and warps the soft bodies."""
    module = types.ModuleType("paraview.simple")
    names = """GetActiveViewOrCreate OpenDataFile RenameSource Show Hide ColorBy WarpByVector
        GetAnimationScene GetScalarBar GetColorTransferFunction Render SaveScreenshot""".split()
    for name in names:
        setattr(module, name, Recorder(name))
    sys.modules["paraview"] = types.ModuleType("paraview")
    sys.modules["paraview.simple"] = module
    path = os.path.join(folder, "paraview.py")
    for known in (True, False):
        Recorder.calls = []
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), {"__file__": path} if known else {})
        opened = [words[0] for name, words in Recorder.calls if name == "OpenDataFile"]
        series = [n for n in os.listdir(os.path.join(folder, "vtk")) if n.endswith(".series")]
        assert len(opened) == len(series) and all(os.path.exists(p) for p in opened)
        soft = len(series) - sum(n.split(".")[0] in runs.SHARED for n in series)
        assert sum(name == "WarpByVector" for name, _ in Recorder.calls) == soft > 0


check_window(sys.argv[1])
check_script(sys.argv[1])
check_floor(sys.argv[2])
print("view: ok")
