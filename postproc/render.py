#!/usr/bin/python3
"""Render a run: deformed soft bodies coloured by von Mises stress, rigid bodies, contact patches coloured by pressure.

usage: render.py RUN_DIR [--time T] [-o PNG] [--animation GIF_OR_MP4]
examples:
  render.py out/finray_grasp                              last frame -> out/finray_grasp/frame.png
  render.py out/finray_grasp --time 1.5 -o closed.png     the frame nearest to 1.5 s
  render.py out/finray_grasp --animation grasp.gif        all frames at the speed of real time

Needs no screen: without one it starts itself again under xvfb-run.
"""
import argparse
import math
import os
import shutil
import subprocess
import sys

import numpy
import vtk
from matplotlib import colormaps
from PIL import Image
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

import runs

INK = (0.12, 0.12, 0.15)
PALETTE = [(0.55, 0.62, 0.72), (0.80, 0.68, 0.45), (0.62, 0.72, 0.58), (0.72, 0.60, 0.72), (0.66, 0.66, 0.66)]
FLOOR = (0.87, 0.88, 0.89)
STRESS_MAP, PRESSURE_MAP = ("viridis", 0.12), ("YlOrRd", 0.0)  # matplotlib's name, where the map begins
# where the camera stands, seen from the scene's centre; x to the right in `front`
CAMERAS = {"front": (0, -1, 0.3), "back": (0, 1, 0.3), "left": (-1, 0, 0.3), "right": (1, 0, 0.3),
           "top": (0, 0, 1), "iso": (0.75, -1, 0.7)}


# ---- data --------------------------------------------------------------------------------------------------------


def read(path):
    reader = vtk.vtkGenericDataObjectReader()
    for switch in ("Scalars", "Vectors", "Tensors", "Fields"):
        getattr(reader, f"ReadAll{switch}On")()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetOutput() is None or reader.GetOutput().GetPoints() is None:
        raise runs.RunError(f"VTK cannot read {path}")
    return reader.GetOutput()


def set_scaled(data, name, factor, new_name):
    """Make factor * array `name` the active scalars; its largest value."""
    array = data.GetArray(name)
    if array is None:
        raise runs.RunError(f"a frame has no field '{name}'")
    values = factor * vtk_to_numpy(array)
    scaled = numpy_to_vtk(values, deep=True)
    scaled.SetName(new_name)
    data.AddArray(scaled)
    data.SetActiveScalars(new_name)
    return float(values.max()) if len(values) else 0.0


class Frame:
    """One moment of a run, ready to be drawn."""

    def __init__(self, groups, k, factor):
        self.time = groups["rigid"][k][0]
        self.rigid = read(groups["rigid"][k][1])
        self.contact = read(groups["contact"][k][1])
        self.softs = [self.warp(read(entries[k][1]), factor) for name, entries in groups.items()
                      if name not in ("rigid", "contact")]
        self.stress = max([set_scaled(s.GetPointData(), "von_mises_nodal", 1e-6, "stress") for s in self.softs], default=0)
        self.pressure = set_scaled(self.contact.GetCellData(), "pressure", 1e-3, "pressure_kPa")
        self.floors = self.find_floors()

    @staticmethod
    def warp(grid, factor):
        """Outer surface of the deformed body."""
        grid.GetPointData().SetActiveVectors("displacement")
        warp = vtk.vtkWarpVector()
        warp.SetInputData(grid)
        warp.SetScaleFactor(factor)
        surface = vtk.vtkDataSetSurfaceFilter()
        surface.SetInputConnection(warp.GetOutputPort())
        surface.Update()
        return surface.GetOutput()

    def find_floors(self):
        """Half spaces are drawn as a single square: bodies of one polygon."""
        if self.rigid.GetNumberOfCells() == 0:
            return set()
        ids, counts = numpy.unique(vtk_to_numpy(self.rigid.GetCellData().GetArray("body_id")), return_counts=True)
        return {int(i) for i, n in zip(ids, counts) if n == 1}

    def bodies(self):
        """(body_id, polygons) of every rigid body."""
        if self.rigid.GetNumberOfCells() == 0:
            return
        ids = vtk_to_numpy(self.rigid.GetCellData().GetArray("body_id"))
        for body in numpy.unique(ids):
            selection = vtk.vtkThreshold()
            selection.SetInputData(self.rigid)
            selection.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, "body_id")
            selection.SetLowerThreshold(float(body))
            selection.SetUpperThreshold(float(body))
            selection.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_BETWEEN)
            surface = vtk.vtkDataSetSurfaceFilter()
            surface.SetInputConnection(selection.GetOutputPort())
            surface.Update()
            yield int(body), surface.GetOutput()

    def corners(self):
        """Bounds of everything but floors, as points."""
        parts = self.softs + [polygons for body, polygons in self.bodies() if body not in self.floors]
        points = [numpy.array([[b[i], b[2 + j], b[4 + k]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
                  for b in (part.GetBounds() for part in parts or [self.rigid])]
        return numpy.concatenate(points)


# ---- picture -----------------------------------------------------------------------------------------------------


def lookup_table(name, darkest, largest):
    """Colours of a matplotlib map from `darkest` (0: all of it) on: shading must not make low values black."""
    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i, colour in enumerate(colormaps[name](numpy.linspace(darkest, 1, 256))):
        table.SetTableValue(i, *colour)
    table.SetTableRange(0, largest if largest > 0 else 1)
    return table


def actor_of(polygons):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(polygons)
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.25)
    actor.GetProperty().SetDiffuse(0.8)
    return actor


def text_actor(text, x, y, size, justify="left"):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.SetPosition(x, y)
    style = actor.GetTextProperty()
    style.SetColor(*INK)
    style.SetFontSize(size)
    style.SetFontFamilyToArial()
    {"left": style.SetJustificationToLeft, "centre": style.SetJustificationToCentered}[justify]()
    return actor


def round_length(length):
    """1, 2 or 5 times a power of ten, not longer than length."""
    power = 10 ** math.floor(math.log10(length))
    return max(m * power for m in (1, 2, 5) if m * power <= length * (1 + 1e-9))


class Picture:
    """A window that draws frames with one camera and one range of colours."""

    def __init__(self, size, title, frames, direction):
        self.title = title
        self.height = size[1]
        self.renderer = vtk.vtkRenderer()
        self.renderer.SetBackground(1, 1, 1)
        self.renderer.SetUseDepthPeeling(1)
        self.renderer.SetMaximumNumberOfPeels(8)
        self.window = vtk.vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetAlphaBitPlanes(1)
        self.window.SetSize(*size)
        self.window.SetNumberOfLayers(2)
        self.window.AddRenderer(self.renderer)
        self.overlay = vtk.vtkRenderer()
        self.overlay.SetLayer(1)
        self.overlay.SetActiveCamera(self.renderer.GetActiveCamera())
        self.window.AddRenderer(self.overlay)
        lights = vtk.vtkLightKit()
        lights.AddLightsToRenderer(self.renderer)
        self.stress = lookup_table(*STRESS_MAP, max(f.stress for f in frames))
        self.pressure = lookup_table(*PRESSURE_MAP, max(f.pressure for f in frames))
        self.place_camera(numpy.concatenate([f.corners() for f in frames]), numpy.array(direction, float), size)
        self.triad = self.add_triad()

    def place_camera(self, points, direction, size):
        """Parallel projection that holds all points, with room for the bars on the right and the title."""
        camera = self.renderer.GetActiveCamera()
        direction /= numpy.linalg.norm(direction)
        up = numpy.array([0, 0, 1.0]) if abs(direction[2]) < 0.99 else numpy.array([0, 1.0, 0])
        right = numpy.cross(up, direction)
        right /= numpy.linalg.norm(right)
        up = numpy.cross(direction, right)
        across, along = points @ right, points @ up
        width, height = numpy.ptp(across), numpy.ptp(along)
        scale = 0.5 * max(height / 0.80, width / 0.70 * size[1] / size[0], 1e-6)
        focus = 0.5 * (points.min(axis=0) + points.max(axis=0))
        focus += right * (0.5 * (across.min() + across.max()) - focus @ right + 0.10 * scale * size[0] / size[1])
        focus += up * (0.5 * (along.min() + along.max()) - focus @ up)
        camera.ParallelProjectionOn()
        camera.SetParallelScale(scale)
        camera.SetFocalPoint(*focus)
        camera.SetPosition(*(focus + 10 * scale * direction))
        camera.SetViewUp(*up)
        self.scale = scale
        self.aspect = size[0] / size[1]

    def add_triad(self):
        axes = vtk.vtkAxesActor()
        for caption in (axes.GetXAxisCaptionActor2D(), axes.GetYAxisCaptionActor2D(), axes.GetZAxisCaptionActor2D()):
            style = caption.GetCaptionTextProperty()
            style.SetColor(*INK)
            style.ShadowOff()
            style.ItalicOff()
        interactor = vtk.vtkRenderWindowInteractor()
        interactor.SetRenderWindow(self.window)
        widget = vtk.vtkOrientationMarkerWidget()
        widget.SetOrientationMarker(axes)
        widget.SetInteractor(interactor)
        widget.SetViewport(0, 0.02, 0.13, 0.02 + 0.13 * self.aspect)
        widget.EnabledOn()
        widget.InteractiveOff()
        return widget

    def add_soft(self, polygons):
        actor = actor_of(polygons)
        mapper = actor.GetMapper()
        mapper.ScalarVisibilityOn()
        mapper.SetScalarModeToUsePointData()
        mapper.SetLookupTable(self.stress)
        mapper.UseLookupTableScalarRangeOn()
        mapper.SetInterpolateScalarsBeforeMapping(1)
        actor.GetProperty().EdgeVisibilityOn()
        actor.GetProperty().SetEdgeColor(0.15, 0.2, 0.25)
        actor.GetProperty().SetLineWidth(max(0.4, self.height / 1600))
        self.renderer.AddActor(actor)

    def add_rigid(self, body, polygons, is_floor):
        """Translucent, so that the patches on them are seen."""
        actor = actor_of(polygons)
        actor.GetProperty().SetColor(*(FLOOR if is_floor else PALETTE[body % len(PALETTE)]))
        actor.GetProperty().SetOpacity(1 if is_floor else 0.45)
        actor.GetProperty().SetLighting(not is_floor)
        self.renderer.AddActor(actor)
        if is_floor:
            return
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(polygons)
        edges.SetFeatureAngle(40)
        edges.BoundaryEdgesOn()
        edges.ColoringOff()
        outline = vtk.vtkActor()
        outline.SetMapper(vtk.vtkPolyDataMapper())
        outline.GetMapper().SetInputConnection(edges.GetOutputPort())
        outline.GetMapper().ScalarVisibilityOff()
        outline.GetProperty().SetColor(*INK)
        outline.GetProperty().SetLineWidth(max(1, self.height / 800))
        self.renderer.AddActor(outline)

    def add_contact(self, polygons):
        if polygons.GetNumberOfCells() == 0:
            return
        actor = actor_of(polygons)
        mapper = actor.GetMapper()
        mapper.ScalarVisibilityOn()
        mapper.SetScalarModeToUseCellData()
        mapper.SetLookupTable(self.pressure)
        mapper.UseLookupTableScalarRangeOn()
        # before the surfaces that they lie in
        mapper.SetResolveCoincidentTopologyToPolygonOffset()
        mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(-6, -6)
        actor.GetProperty().LightingOff()
        self.renderer.AddActor(actor)
        hidden = actor_of(polygons)  # faint where something stands before them
        hidden.SetMapper(mapper)
        hidden.GetProperty().SetOpacity(0.3)
        hidden.GetProperty().LightingOff()
        self.overlay.AddActor(hidden)

    def add_bar(self, table, title, low):
        bar = vtk.vtkScalarBarActor()
        bar.SetLookupTable(table)
        bar.SetNumberOfLabels(5)
        bar.SetLabelFormat("%-.3g")
        bar.UnconstrainedFontSizeOn()
        bar.SetBarRatio(0.22)
        bar.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
        bar.SetPosition(0.855, low)
        bar.SetWidth(0.13)
        bar.SetHeight(0.32)
        style = bar.GetLabelTextProperty()
        style.SetColor(*INK)
        style.SetFontSize(int(self.height / 52))
        style.ItalicOff()
        style.BoldOff()
        style.ShadowOff()
        self.overlay.AddActor2D(bar)
        self.overlay.AddActor2D(text_actor(title, 0.855, low + 0.35, int(self.height / 50)))

    def add_ruler(self):
        """A length to compare with, bottom centre: the projection is parallel."""
        width = 2 * self.scale * self.aspect
        length = round_length(0.2 * width)
        left, right, low = 0.45 - 0.5 * length / width, 0.45 + 0.5 * length / width, 0.035
        points = vtk.vtkPoints()
        for x, y in ((left, low + 0.01), (left, low), (right, low), (right, low + 0.01)):
            points.InsertNextPoint(x, y, 0)
        line = vtk.vtkPolyLine()
        line.GetPointIds().SetNumberOfIds(4)
        for i in range(4):
            line.GetPointIds().SetId(i, i)
        cells = vtk.vtkCellArray()
        cells.InsertNextCell(line)
        polygons = vtk.vtkPolyData()
        polygons.SetPoints(points)
        polygons.SetLines(cells)
        place = vtk.vtkCoordinate()
        place.SetCoordinateSystemToNormalizedViewport()
        mapper = vtk.vtkPolyDataMapper2D()
        mapper.SetInputData(polygons)
        mapper.SetTransformCoordinate(place)
        actor = vtk.vtkActor2D()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*INK)
        actor.GetProperty().SetLineWidth(max(1, self.height / 500))
        self.overlay.AddActor2D(actor)
        self.overlay.AddActor2D(text_actor(f"{1e3 * length:g} mm", 0.45, low + 0.012, int(self.height / 50), "centre"))

    def draw(self, frame):
        """Pixels of a frame, [height, width, 3]."""
        self.renderer.RemoveAllViewProps()
        self.overlay.RemoveAllViewProps()
        for body, polygons in frame.bodies():
            self.add_rigid(body, polygons, body in frame.floors)
        for polygons in frame.softs:
            self.add_soft(polygons)
        self.add_contact(frame.contact)
        self.add_bar(self.stress, "von Mises\nstress [MPa]", 0.52)
        self.add_bar(self.pressure, "contact\npressure [kPa]", 0.08)
        self.add_ruler()
        self.overlay.AddActor2D(text_actor(f"{self.title}    t = {frame.time:.3f} s", 0.02, 0.945, int(self.height / 32)))
        self.renderer.ResetCameraClippingRange()
        self.window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self.window)
        grab.SetInputBufferTypeToRGB()
        grab.ReadFrontBufferOff()
        grab.Update()
        image = grab.GetOutput()
        width, height, _ = image.GetDimensions()
        pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, 3)
        return numpy.ascontiguousarray(pixels[::-1])


# ---- files -------------------------------------------------------------------------------------------------------


def shared_palette(image):
    """White, the colours of both bars, and the most frequent ones of a picture: steady over all frames."""
    bars = [colormaps[name](numpy.linspace(low, 1, n)) for name, low, n in (STRESS_MAP + (72,), PRESSURE_MAP + (48,))]
    bars = (255 * numpy.concatenate(bars)[:, :3]).round().astype(int).ravel().tolist()
    rest = image.quantize(colors=135, method=Image.Quantize.MEDIANCUT, kmeans=1).getpalette()[: 3 * 135]
    palette = Image.new("P", (1, 1))
    palette.putpalette([255, 255, 255] + bars + rest)
    return palette


def write_gif(path, pictures, fps):
    images = [Image.fromarray(p) for p in pictures]
    palette = shared_palette(images[len(images) // 2])
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    images[0].save(path, save_all=True, append_images=images[1:], duration=round(1000 / fps), loop=0, optimize=False)


def write_mp4(path, pictures, fps):
    program = shutil.which("ffmpeg")
    if not program:
        raise runs.RunError("MP4 needs ffmpeg, which is not installed; a name that ends in .gif needs nothing more")
    process, height, width = None, 0, 0
    for picture in pictures:
        if process is None:
            height, width = picture.shape[:2]
            command = [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
                       "-r", f"{fps:g}", "-i", "-", "-pix_fmt", "yuv420p", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", path]
            process = subprocess.Popen(command, stdin=subprocess.PIPE)
        process.stdin.write(picture.tobytes())
    process.stdin.close()
    if process.wait() != 0:
        raise runs.RunError(f"ffmpeg could not write {path}")


def frames_in_time(times, fps, speed):
    """Indices of the frames nearest to evenly spaced times."""
    moments = numpy.arange(times[0], times[-1] + 1e-9, speed / fps)
    return [int(numpy.argmin(numpy.abs(times - t))) for t in moments]


def size_of(text):
    try:
        width, height = (int(x) for x in text.lower().split("x"))
        assert width >= 64 and height >= 64
    except (ValueError, AssertionError):
        raise argparse.ArgumentTypeError(f"'{text}' is no size like 1280x960") from None
    return width, height


def camera_of(text):
    if text in CAMERAS:
        return CAMERAS[text]
    try:
        direction = tuple(float(x) for x in text.split(","))
        assert len(direction) == 3 and any(direction)
    except (ValueError, AssertionError):
        raise argparse.ArgumentTypeError(f"'{text}' is neither X,Y,Z nor one of {', '.join(CAMERAS)}") from None
    return direction


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN_DIR", help="folder of a run")
    parser.add_argument("--time", type=float, metavar="T", help="frame nearest to this time [s]; default: the last")
    parser.add_argument("-o", "--output", metavar="PNG", help="default: RUN_DIR/frame.png")
    parser.add_argument("--animation", metavar="FILE", help="all frames as .gif, or .mp4 where ffmpeg is installed")
    parser.add_argument("--fps", type=float, default=20, help="pictures a second of the animation (20)")
    parser.add_argument("--speed", type=float, default=1, help="simulated seconds a second of the animation (1)")
    parser.add_argument("--camera", type=camera_of, default="front", metavar="C",
                        help=f"{', '.join(CAMERAS)}, or the direction X,Y,Z from which to look (front)")
    parser.add_argument("--size", type=size_of, metavar="WxH", help="pixels (1280x960; animations 800x600)")
    parser.add_argument("--scale", type=float, default=1, help="factor on the displacement (1)")
    arguments = parser.parse_args()
    if not (arguments.fps > 0 and arguments.speed > 0):
        parser.error("--fps and --speed must be positive")
    if arguments.animation and os.path.splitext(arguments.animation)[1].lower() not in (".gif", ".mp4"):
        parser.error("--animation needs a name that ends in .gif or .mp4")
    return arguments


def need_screen():
    """VTK of Debian draws through X; a virtual one serves."""
    if os.environ.get("DISPLAY"):
        return
    if not shutil.which("xvfb-run"):
        raise runs.RunError("there is no screen here; install xvfb (its xvfb-run is used then)")
    os.execvp("xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1600x1200x24", sys.executable, *sys.argv])


def main():
    arguments = parse()
    groups = runs.load_series(arguments.run)
    for needed in ("rigid", "contact"):
        if needed not in groups:
            raise runs.RunError(f"{arguments.run}/vtk/{needed}.vtk.series is missing")
    need_screen()
    title = runs.title_of(arguments.run)
    times = numpy.array([time for time, _ in groups["rigid"]])
    if not arguments.animation or arguments.output or arguments.time is not None:
        k = len(times) - 1 if arguments.time is None else int(numpy.argmin(numpy.abs(times - arguments.time)))
        frame = Frame(groups, k, arguments.scale)
        picture = Picture(arguments.size or (1280, 960), title, [frame], arguments.camera)
        path = arguments.output or os.path.join(arguments.run, "frame.png")
        Image.fromarray(picture.draw(frame)).save(path)
        print(path)
    if arguments.animation:
        chosen = frames_in_time(times, arguments.fps, arguments.speed)
        frames = {k: Frame(groups, k, arguments.scale) for k in sorted(set(chosen))}
        picture = Picture(arguments.size or (800, 600), title, list(frames.values()), arguments.camera)
        write = write_mp4 if arguments.animation.lower().endswith(".mp4") else write_gif
        write(arguments.animation, (picture.draw(frames[k]) for k in chosen), arguments.fps)
        print(arguments.animation)


runs.run(main)
