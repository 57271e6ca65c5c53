#!/usr/bin/python3
"""Look at a run in a window, finished or running: time, play, fields and their ranges, warp,
contact patches, curves of history.csv.

usage: supple view RUN_DIR [--field NAME] [--time T] [--range LOW,HIGH] [--warp FACTOR]
keys:
  space      play and stop               left, right    a frame back, on
  Home, End  first, last frame           l              follow a run that is going on
  f, F       next, previous field        r              colours for this frame, or for all seen
  + -        warp more, less             e              edges of cells
  p          contact patches             g              rigid bodies
  c, C       curves: next, previous      x              no curves
  s          picture into RUN_DIR        h              these keys
  q          end
"""
import argparse
import os
import sys
import time

import numpy
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

import runs
from plot_history import unit_of

INK, PAPER = (0.12, 0.12, 0.15), (1, 1, 1)
BYSTANDER = (0.70, 0.71, 0.73)
CURVES = [(0.16, 0.33, 0.60), (0.80, 0.33, 0.10), (0.20, 0.50, 0.20), (0.50, 0.25, 0.55)]
CURVES += [(0.10, 0.60, 0.65), (0.75, 0.60, 0.10), (0.45, 0.30, 0.15), (0.85, 0.45, 0.65)]
STRESS = [(0.28, 0.14, 0.46), (0.23, 0.32, 0.55), (0.13, 0.57, 0.55), (0.37, 0.79, 0.38)]
STRESS += [(0.99, 0.91, 0.14)]
PRESSURE = [(1.00, 0.90, 0.55), (1.00, 0.55, 0.20), (0.75, 0.05, 0.10)]
FIRST_FIELDS = ["von_mises_recovered", "von_mises_nodal", "von_mises", "displacement"]
NOT_SOFT = runs.SHARED
LOOK_AGAIN = 1.0  # seconds between looks for new frames
TICK = 40  # milliseconds between ticks of the clock
CURVE_SHARE = 0.3  # of the window's height


def colour_table(colours):
    """Between these colours."""
    table, marks = vtk.vtkLookupTable(), numpy.linspace(0, 1, len(colours))
    table.SetNumberOfTableValues(256)
    for i, x in enumerate(numpy.linspace(0, 1, 256)):
        table.SetTableValue(i, *(numpy.interp(x, marks, c) for c in numpy.transpose(colours)), 1)
    return table


class Run:
    """Frames and curves of a folder, which may grow."""

    def __init__(self, folder):
        self.folder = folder
        self.groups = {}
        self.reload()
        self.softs = [name for name in self.groups if name not in NOT_SOFT]
        self.title = runs.title_of(folder)

    def reload(self):
        """Look for new frames; are there any?"""
        before = len(self.times()) if self.groups else 0
        self.groups = runs.load_series(self.folder)
        return len(self.times()) != before

    def times(self):
        return numpy.array([t for t, _ in next(iter(self.groups.values()))])

    def frame(self, name, k):
        return runs.read_frame(self.groups[name][k][1])

    def is_running(self):
        path = os.path.join(self.folder, "manifest.json")
        try:
            return runs.load_json(path).get("status") == "running"
        except runs.RunError:
            return False

    def curves(self):
        """{what: {column: array}} of history.csv: columns that move and have the same first words
        and unit, contact first."""
        try:
            history = runs.load_history(self.folder)
        except runs.RunError:
            return numpy.zeros(0), {}
        groups = {}
        for name, values in history.items():
            if "." in name and len(set(values[numpy.isfinite(values)])) > 1:
                first, last = name.rsplit(".", 1)
                groups.setdefault(f"{first} [{unit_of(name) or '-'}]", {})[last] = values
        known = sorted(groups.items(), key=lambda item: not item[0].startswith("contact."))
        return history["time"], dict(known)


class Soft:
    """A soft body: its grid, warped and coloured."""

    def __init__(self, renderer, table):
        self.warp = vtk.vtkWarpVector()
        self.surface = vtk.vtkDataSetSurfaceFilter()
        self.surface.SetInputConnection(self.warp.GetOutputPort())
        self.mapper = vtk.vtkPolyDataMapper()
        self.mapper.SetInputConnection(self.surface.GetOutputPort())
        self.mapper.SetLookupTable(table)
        self.mapper.SetScalarRange(0, 1)
        self.mapper.UseLookupTableScalarRangeOn()
        self.actor = vtk.vtkActor()
        self.actor.SetMapper(self.mapper)
        renderer.AddActor(self.actor)

    def show(self, grid, field, factor):
        """@return lowest and highest value of the field"""
        grid.GetPointData().SetActiveVectors("displacement")
        of_cells = not grid.GetPointData().HasArray(field)
        data = grid.GetCellData() if of_cells else grid.GetPointData()
        values = vtk_to_numpy(data.GetArray(field)) if data.HasArray(field) else numpy.zeros(1)
        if values.ndim > 1:
            values = numpy.linalg.norm(values, axis=1)
        if data.HasArray(field):
            array = numpy_to_vtk(numpy.ascontiguousarray(values, dtype=float), deep=1)
            array.SetName("shown")
            data.AddArray(array)
        self.warp.SetInputData(grid)
        self.warp.SetScaleFactor(factor)
        use = "SetScalarModeToUseCellFieldData" if of_cells else "SetScalarModeToUsePointFieldData"
        getattr(self.mapper, use)()
        self.mapper.SelectColorArray("shown")
        return float(values.min()), float(values.max())


class Viewer:
    """The window and what its keys and sliders do."""

    def __init__(self, run, arguments):
        self.run, self.k, self.is_playing, self.follows = run, 0, False, run.is_running()
        self.factor, self.speed = arguments.warp, arguments.speed
        self.fields = self.find_fields()
        if arguments.field and arguments.field not in self.fields:
            raise runs.RunError(
                f"there is no field '{arguments.field}'; known: {', '.join(self.fields)}"
            )
        self.field = arguments.field or next(
            (f for f in FIRST_FIELDS if f in self.fields), self.fields[0] if self.fields else ""
        )
        self.fixed_range, self.range_of_all, self.seen = arguments.range, True, {}
        self.curve, self.last_look, self.last_tick = None, time.monotonic(), None
        self.make_window()
        self.make_actors()
        self.make_curves()
        self.make_widgets()
        times = run.times()
        at = times[-1] if arguments.time is None else arguments.time
        self.show(int(numpy.argmin(numpy.abs(times - at))))
        self.renderer.ResetCamera(self.bounds())
        self.renderer.GetActiveCamera().Zoom(1.1)

    def bounds(self):
        """Box of all but floors, which are of one polygon."""
        boxes = [soft.actor.GetBounds() for soft in self.softs.values()]
        if "rigid" in self.run.groups:
            data = self.run.frame("rigid", self.k)
            corners, counts = runs.polygons_of(data)
            body = vtk_to_numpy(data.GetCellData().GetArray("body_id")).astype(int)
            is_shown = (numpy.bincount(body, minlength=1) > 1)[body]
            used = corners[numpy.repeat(is_shown, counts)]
            points = vtk_to_numpy(data.GetPoints().GetData())[used]
            if len(used):
                boxes.append(numpy.ravel([points.min(axis=0), points.max(axis=0)], order="F"))
        boxes = numpy.array(boxes or [self.renderer.ComputeVisiblePropBounds()])
        return numpy.ravel([boxes[:, 0::2].min(axis=0), boxes[:, 1::2].max(axis=0)], order="F")

    def find_fields(self):
        """Names of all numbers that colour soft bodies, those of points first."""
        names = []
        for name in self.run.softs:
            grid = self.run.frame(name, 0)
            for data in (grid.GetPointData(), grid.GetCellData()):
                for i in range(data.GetNumberOfArrays()):
                    array = data.GetArray(i)
                    if array and array.GetNumberOfComponents() < 9 and array.GetName() not in names:
                        names.append(array.GetName())
        return names

    # ---- parts -------------------------------------------------------------------------------

    def make_window(self):
        self.renderer = vtk.vtkRenderer()
        self.renderer.SetBackground(*PAPER)
        self.renderer.GetActiveCamera().SetViewUp(0, 0, 1)
        self.renderer.GetActiveCamera().SetPosition(-0.6, -1, 0.5)
        self.window = vtk.vtkRenderWindow()
        self.window.SetSize(1280, 800)
        self.window.SetWindowName(f"{self.run.title} - supple view")
        self.window.AddRenderer(self.renderer)
        self.interactor = vtk.vtkRenderWindowInteractor()
        self.interactor.SetRenderWindow(self.window)
        self.interactor.SetInteractorStyle(vtk.vtkInteractorStyleTrackballCamera())
        self.interactor.RemoveObservers("CharEvent")  # VTK's own keys
        self.interactor.AddObserver("KeyPressEvent", self.on_key)
        self.interactor.AddObserver("TimerEvent", self.on_tick)

    def make_actors(self):
        self.table, self.pressure_table = colour_table(STRESS), colour_table(PRESSURE)
        self.softs = {name: Soft(self.renderer, self.table) for name in self.run.softs}
        self.rigid, self.patches = vtk.vtkActor(), vtk.vtkActor()
        for actor, colour in ((self.rigid, BYSTANDER), (self.patches, INK)):
            actor.SetMapper(vtk.vtkPolyDataMapper())
            actor.GetProperty().SetColor(*colour)
            self.renderer.AddActor(actor)
        self.rigid.GetMapper().ScalarVisibilityOff()
        self.rigid.GetProperty().SetOpacity(0.35)  # patches on bodies are seen
        self.patches.GetMapper().SetLookupTable(self.pressure_table)
        self.patches.GetMapper().UseLookupTableScalarRangeOn()
        self.patches.GetMapper().SetResolveCoincidentTopologyToPolygonOffset()
        self.patches.GetMapper().SetRelativeCoincidentTopologyPolygonOffsetParameters(-6, -6)
        self.patches.GetProperty().LightingOff()
        self.bar, self.pressure_bar = vtk.vtkScalarBarActor(), vtk.vtkScalarBarActor()
        for bar, colours, low in ((self.bar, STRESS, 0.52), (self.pressure_bar, PRESSURE, 0.14)):
            bar.SetLookupTable(colour_table(colours))  # whose range has a unit with a prefix
            bar.SetLabelFormat("%-.4g")
            bar.SetNumberOfLabels(5)
            bar.SetPosition(0.87, low)
            bar.SetWidth(0.12)
            bar.SetHeight(0.36)
            bar.UnconstrainedFontSizeOn()
            bar.SetVerticalTitleSeparation(8)
            for style in (bar.GetLabelTextProperty(), bar.GetTitleTextProperty()):
                style.SetColor(*INK)
                style.SetFontSize(14)
                for switch in ("Shadow", "Italic", "Bold"):
                    getattr(style, f"{switch}Off")()
            self.renderer.AddActor2D(bar)
        self.text, self.keys = self.make_text(0.01, 0.95), self.make_text(0.01, 0.15)
        self.keys.SetVisibility(0)
        self.keys.SetInput(__doc__.split("keys:\n")[1])
        self.keys.GetTextProperty().SetFontFamilyToCourier()

    def make_text(self, x, y):
        actor = vtk.vtkTextActor()
        actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
        actor.SetPosition(x, y)
        actor.GetTextProperty().SetColor(*INK)
        actor.GetTextProperty().SetFontSize(16)
        self.renderer.AddActor2D(actor)
        return actor

    def make_curves(self):
        self.chart, actor = vtk.vtkChartXY(), vtk.vtkContextActor()
        actor.GetScene().AddItem(self.chart)
        self.chart.SetShowLegend(True)
        self.chart_renderer = vtk.vtkRenderer()
        self.chart_renderer.SetBackground(*PAPER)
        self.chart_renderer.SetViewport(0, 0, 1, CURVE_SHARE)
        self.chart_renderer.AddActor(actor)
        self.chart_renderer.InteractiveOff()
        actor.GetScene().SetRenderer(self.chart_renderer)

    def make_widgets(self):
        self.time_slider = self.make_slider("time [s]", 0.25, 0.75, self.on_time)
        self.warp_slider = self.make_slider("warp", 0.03, 0.18, self.on_warp)
        self.warp_slider.GetRepresentation().SetMinimumValue(0)
        self.warp_slider.GetRepresentation().SetMaximumValue(max(10, 2 * self.factor))
        self.warp_slider.GetRepresentation().SetValue(self.factor)

    def make_slider(self, title, left, right, callback):
        shape = vtk.vtkSliderRepresentation2D()
        shape.SetTitleText(title)
        for point, x in ((shape.GetPoint1Coordinate(), left), (shape.GetPoint2Coordinate(), right)):
            point.SetCoordinateSystemToNormalizedViewport()
            point.SetValue(x, 0.06)
        for style in (shape.GetTitleProperty(), shape.GetLabelProperty()):
            style.SetColor(*INK)
            style.ShadowOff()
        for style in (shape.GetTubeProperty(), shape.GetCapProperty()):
            style.SetColor(0.8, 0.8, 0.8)
        shape.GetSliderProperty().SetColor(*CURVES[0])
        shape.SetTitleHeight(0.02)
        shape.SetLabelHeight(0.02)
        shape.SetLabelFormat("%.4g")
        slider = vtk.vtkSliderWidget()
        slider.SetInteractor(self.interactor)
        slider.SetCurrentRenderer(self.renderer)
        slider.SetRepresentation(shape)
        slider.SetAnimationModeToJump()
        slider.AddObserver("InteractionEvent", callback)
        slider.EnabledOn()
        return slider

    # ---- drawing -----------------------------------------------------------------------------

    def show(self, k):
        """Frame k, as everything says now."""
        times = self.run.times()
        self.k = max(0, min(k, len(times) - 1))
        low, high = numpy.inf, -numpy.inf
        for name, soft in self.softs.items():
            one, other = soft.show(self.run.frame(name, self.k), self.field, self.factor)
            low, high = min(low, one), max(high, other)
        self.set_range(low, high)
        self.show_others()
        shape = self.time_slider.GetRepresentation()
        shape.SetMinimumValue(times[0])
        shape.SetMaximumValue(max(times[-1], times[0] + 1e-9))
        shape.SetValue(times[self.k])
        going = "   running" if self.follows else ""
        self.text.SetInput(
            f"{self.run.title}   t = {times[self.k]:.4g} s   frame {self.k + 1} of {len(times)}"
            f"{going}   h: keys"
        )
        self.show_curves()
        self.window.Render()

    def set_range(self, low, high):
        if not self.softs:
            self.bar.SetVisibility(0)
            return
        if self.range_of_all:
            before = self.seen.get(self.field, (low, high))
            low, high = self.seen[self.field] = (min(low, before[0]), max(high, before[1]))
        if self.fixed_range:
            low, high = self.fixed_range
        self.table.SetTableRange(low, high if high > low else low + 1e-30)
        self.label(self.bar, self.field, runs.unit_of_field(self.field), self.table)

    @staticmethod
    def label(bar, name, unit, table):
        """Range and title of a bar in a unit with a prefix."""
        low, high = table.GetTableRange()
        factor, unit = runs.readable(unit, max(abs(low), abs(high)))
        bar.GetLookupTable().SetTableRange(factor * low, factor * high)
        bar.SetTitle(f"{name} [{unit}]")

    def show_others(self):
        if "rigid" in self.run.groups:
            self.rigid.GetMapper().SetInputData(self.run.frame("rigid", self.k))
        group = "pressure" if "pressure" in self.run.groups else "contact"
        if group not in self.run.groups:
            self.pressure_bar.SetVisibility(0)
            return
        contact = self.run.frame(group, self.k)
        pressure = contact.GetPointData().GetArray("pressure")
        most = float(vtk_to_numpy(pressure).max(initial=0)) if pressure else 0
        self.patches.GetMapper().SetInputData(contact)
        self.patches.GetMapper().SetScalarModeToUsePointFieldData()
        self.patches.GetMapper().SelectColorArray("pressure")
        most = self.seen["patches"] = max(most, self.seen.get("patches", 0))
        self.pressure_table.SetTableRange(0, most or 1)
        name = "contact" if group == "pressure" else "contact polygons"
        self.label(self.pressure_bar, name, "Pa", self.pressure_table)
        self.pressure_bar.SetVisibility(self.patches.GetVisibility() and most > 0)

    def show_curves(self):
        self.chart.ClearPlots()
        if self.curve is None:
            return
        times, groups = self.run.curves()
        columns = groups.get(self.curve, {})
        finite = [v[numpy.isfinite(v)] for v in columns.values()]
        finite = numpy.concatenate([v for v in finite if len(v)] or [numpy.zeros(1)])
        now = self.run.times()[self.k]
        mark = {"now": (numpy.array([now, now]), numpy.array([finite.min(), finite.max()]))}
        lines = {name: (times, values) for name, values in list(columns.items())[:8]} | mark
        for i, (name, (x, y)) in enumerate(lines.items()):
            table = vtk.vtkTable()
            for label, values in (("time", x), (name, numpy.nan_to_num(y))):
                array = numpy_to_vtk(numpy.ascontiguousarray(values), deep=1)
                array.SetName(label)
                table.AddColumn(array)
            plot = self.chart.AddPlot(vtk.vtkChart.LINE)
            plot.SetInputData(table, 0, 1)
            plot.SetColor(*(CURVES[i % len(CURVES)] if name != "now" else (0.6, 0.6, 0.6)))
            plot.SetWidth(2)
        self.chart.SetTitle(self.curve)
        self.chart.GetAxis(vtk.vtkAxis.BOTTOM).SetTitle("time [s]")
        self.chart.GetAxis(vtk.vtkAxis.LEFT).SetTitle(self.curve.split()[-1])

    def set_curve(self, step):
        names = list(self.run.curves()[1])
        if not names or step == 0:
            self.curve = None
        elif self.curve in names:
            self.curve = names[(names.index(self.curve) + step) % len(names)]
        else:
            self.curve = names[0 if step > 0 else -1]
        if self.curve:
            self.renderer.SetViewport(0, CURVE_SHARE, 1, 1)
            self.window.AddRenderer(self.chart_renderer)
        else:
            self.window.RemoveRenderer(self.chart_renderer)
            self.renderer.SetViewport(0, 0, 1, 1)

    # ---- what people do ----------------------------------------------------------------------

    def on_time(self, slider, _event):
        times = self.run.times()
        at = slider.GetRepresentation().GetValue()
        self.follows = False
        self.show(int(numpy.argmin(numpy.abs(times - at))))

    def on_warp(self, slider, _event):
        self.factor = slider.GetRepresentation().GetValue()
        self.show(self.k)

    def set_warp(self, factor):
        self.factor = factor
        self.warp_slider.GetRepresentation().SetValue(factor)

    def next_field(self, step):
        if self.fields:
            self.field = self.fields[(self.fields.index(self.field) + step) % len(self.fields)]

    def on_key(self, interactor, _event):
        key = interactor.GetKeySym()
        last, times = len(self.run.times()) - 1, self.run.times()
        k = {"Left": self.k - 1, "Right": self.k + 1, "Home": 0, "End": last}.get(key, self.k)
        if k != self.k:
            self.follows = False
        if key == "space":
            self.is_playing, self.last_tick = not self.is_playing, time.monotonic()
            self.playing_time = times[0] if self.k == last else times[self.k]
        elif key == "l":
            self.follows, k = not self.follows, last
        elif key in ("f", "F"):
            self.next_field(1 if key == "f" else -1)
        elif key == "r":
            self.range_of_all, self.fixed_range = not self.range_of_all, None
        elif key in ("plus", "KP_Add", "equal"):
            self.set_warp(self.factor * 1.25 if self.factor else 1)
        elif key in ("minus", "KP_Subtract"):
            self.set_warp(self.factor / 1.25)
        elif key == "e":
            for soft in self.softs.values():
                style = soft.actor.GetProperty()
                style.SetEdgeVisibility(not style.GetEdgeVisibility())
        elif key in ("p", "g", "h"):
            actor = {"p": self.patches, "g": self.rigid, "h": self.keys}[key]
            actor.SetVisibility(not actor.GetVisibility())
        elif key in ("c", "C", "x"):
            self.set_curve({"c": 1, "C": -1, "x": 0}[key])
        elif key == "s":
            print(self.picture(os.path.join(self.run.folder, f"view_{self.k:04d}.png")), flush=True)
        elif key == "q":
            interactor.TerminateApp()
            return
        self.show(k)

    def on_tick(self, _interactor, _event):
        now = time.monotonic()
        if self.follows and now - self.last_look > LOOK_AGAIN:
            self.last_look = now
            if self.run.reload():
                self.show(len(self.run.times()) - 1)
            self.follows = self.run.is_running()
        if not self.is_playing:
            return
        times = self.run.times()
        self.playing_time += self.speed * (now - self.last_tick)
        self.last_tick = now
        if self.playing_time > times[-1]:
            self.playing_time = times[0]
        k = int(numpy.argmin(numpy.abs(times - self.playing_time)))
        if k != self.k:
            self.show(k)

    def picture(self, path):
        """What the window shows, as a file."""
        grab, writer = vtk.vtkWindowToImageFilter(), vtk.vtkPNGWriter()
        self.window.Render()
        grab.SetInput(self.window)
        grab.ReadFrontBufferOff()
        writer.SetInputConnection(grab.GetOutputPort())
        writer.SetFileName(path)
        writer.Write()
        return path

    def start(self):
        self.interactor.Initialize()
        self.interactor.CreateRepeatingTimer(TICK)
        self.interactor.Start()


def range_of(text):
    try:
        low, high = (float(x) for x in text.split(","))
        assert low < high
    except (ValueError, AssertionError):
        raise argparse.ArgumentTypeError(f"'{text}' is no range like 0,1e6") from None
    return low, high


def parse(words=None):
    parser = argparse.ArgumentParser(
        prog="supple view",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", metavar="RUN_DIR", help="folder of a run, which may go on")
    parser.add_argument("--field", metavar="NAME", help="what colours soft bodies")
    parser.add_argument("--time", type=float, metavar="T", help="first frame shown [s] (the last)")
    parser.add_argument(
        "--range", type=range_of, metavar="LOW,HIGH", help="of the colours, in the field's unit"
    )
    parser.add_argument("--warp", type=float, default=1, help="factor on the displacement (1)")
    parser.add_argument(
        "--speed", type=float, default=1, help="simulated seconds a second when it plays (1)"
    )
    return parser.parse_args(words)


def main():
    arguments = parse()
    run = Run(arguments.run)  # a folder that is not there matters more than a screen
    if not os.environ.get("DISPLAY"):
        raise runs.RunError(
            "there is no screen here (DISPLAY is not set); postproc/render.py needs none"
        )
    Viewer(run, arguments).start()


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    runs.run(main)
