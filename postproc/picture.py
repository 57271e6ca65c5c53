"""A window on frames of a run: bodies, patches, colour bars, one camera, one range of colours."""
import math
import typing

import numpy
import vtk
from matplotlib import cm, colormaps, font_manager
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from PIL import Image, ImageChops
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

INK = (0.12, 0.12, 0.15)
PALETTE = [(0.42, 0.55, 0.72), (0.80, 0.62, 0.35), (0.55, 0.68, 0.48), (0.66, 0.52, 0.68)]
BYSTANDER = (0.70, 0.71, 0.73)  # rigid bodies that nothing touches: a gripper's hand
# contact in points: colour, longest bar over half the picture's height
FORCE, FORCE_LENGTH = (0.75, 0.10, 0.10), 0.35
# matplotlib's name, where the map begins
STRESS_MAP, PRESSURE_MAP = ("viridis", 0.12), ("YlOrRd", 0.15)
FONT = font_manager.findfont("DejaVu Sans")
BARS = 0.84  # of the width, where the colour bars begin
SMOOTH = 2  # pixels are drawn this much smaller and averaged
# name: (title, unit, of cells)
FIELDS = {
    "von_mises_nodal": ("von Mises\nstress", "Pa", False),
    "von_mises_recovered": ("von Mises,\nrecovered", "Pa", False),
    "von_mises": ("von Mises\nstress of cells", "Pa", True),
    "stress_error": ("stress error\nof cells", "J", True),
    "strain_energy_density": ("strain energy\ndensity", "J/m³", True),
}
# for soft bodies that are thinnest along x, y, z
AUTO = [(-1, -0.4, 0.3), (-0.4, -1, 0.3), (-0.3, -0.4, 1)]


# ---- data ----------------------------------------------------------------------------------------


def box_corners(bounds):
    return numpy.array(
        [[bounds[i], bounds[2 + j], bounds[4 + k]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )


def scale_of(value, unit):
    """(factor, unit, top, intervals): 0 to top in this unit holds value in round intervals."""
    prefixes = [(1e-6, "M"), (1e-3, "k"), (1, "")] + (
        [(1e3, "m"), (1e6, "µ"), (1e9, "n")] if unit == "J" else []
    )
    factor, prefix = next(((f, p) for f, p in prefixes if value * f >= 0.2), prefixes[-1])
    value = max(value * factor, 1e-3)
    power = 10 ** math.floor(math.log10(value / 4))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if 4 * m * power >= value * (1 - 1e-9))
    intervals = math.ceil(value / step - 1e-9)
    return factor, prefix + unit, step * intervals, intervals


class Colours:
    """A colour bar: a field's name, its range over all frames, its map."""

    def __init__(self, title, unit, colour_map, value, limits=None):
        """@param limits: (low, high) in the field's unit; default: 0 to a round number"""
        factor, unit, top, intervals = scale_of(limits[1] if limits else value, unit)
        low, high = (factor * limits[0], factor * limits[1]) if limits else (0, top)
        self.title, self.labels = f"{title} [{unit}]", 5 if limits else intervals + 1
        self.map, self.range = colour_map, (low, high)
        self.data_table = self.table(*colour_map, low / factor, high / factor)
        self.bar_table = self.table(*colour_map, low, high)

    @staticmethod
    def table(name, darkest, low, high):
        """Colours of a matplotlib map from `darkest` (0: all of it) on: shading must not make low
        values black."""
        table = vtk.vtkLookupTable()
        table.SetNumberOfTableValues(256)
        for i, colour in enumerate(colormaps[name](numpy.linspace(darkest, 1, 256))):
            table.SetTableValue(i, *colour)
        table.SetTableRange(low, high)
        return table


def actor_of(source, colour=INK, opacity=1.0, width=None):
    """Actor of a data set or of a filter; unlit lines when a width is given."""
    mapper = vtk.vtkPolyDataMapper()
    if isinstance(source, vtk.vtkAlgorithm):
        mapper.SetInputConnection(source.GetOutputPort())
    else:
        mapper.SetInputData(source)
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    style = actor.GetProperty()
    style.SetAmbient(0.25)
    style.SetDiffuse(0.8)
    style.SetColor(*colour)
    style.SetOpacity(opacity)
    if width:
        style.SetLineWidth(width)
        style.LightingOff()
    return actor


def colour_by(actor, colours, cells):
    mapper = actor.GetMapper()
    mapper.ScalarVisibilityOn()
    mapper.SetScalarModeToUseCellData() if cells else mapper.SetScalarModeToUsePointData()
    mapper.SetLookupTable(colours.data_table)
    mapper.UseLookupTableScalarRangeOn()
    mapper.SetInterpolateScalarsBeforeMapping(not cells)


def set_font(style, size):
    style.SetFontFamily(vtk.VTK_FONT_FILE)
    style.SetFontFile(FONT)
    style.SetFontSize(int(size))
    style.SetColor(*INK)
    for switch in ("Italic", "Bold", "Shadow"):
        getattr(style, f"{switch}Off")()


def text_actor(text, x, y, size, centred=False):
    actor = vtk.vtkTextActor()
    actor.SetInput(text)
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.SetPosition(x, y)
    set_font(actor.GetTextProperty(), size)
    if centred:
        actor.GetTextProperty().SetJustificationToCentered()
    return actor


def flat_actor(polygons):
    """Points in shares of the picture, from its lower left corner."""
    place = vtk.vtkCoordinate()
    place.SetCoordinateSystemToNormalizedViewport()
    mapper = vtk.vtkPolyDataMapper2D()
    mapper.SetInputData(polygons)
    mapper.SetTransformCoordinate(place)
    actor = vtk.vtkActor2D()
    actor.SetMapper(mapper)
    return actor


def round_length(length):
    """1, 2 or 5 times a power of ten, not longer than length."""
    power = 10 ** math.floor(math.log10(length))
    return max(m * power for m in (1, 2, 5) if m * power <= length * (1 + 1e-9))


class Look(typing.NamedTuple):
    """Choices beside the camera: colours of soft bodies, lines of cells, ground."""

    limits: tuple = None  # of the field; None: 0 to a round number
    map: str = STRESS_MAP[0]
    has_mesh: bool = True
    is_transparent: bool = False
    has_contact: bool = True


class Picture:
    """A window that draws frames with one camera and one range of colours."""

    def __init__(self, size, title, frames, direction, corners=None, look=Look()):
        """@param title    None: no line of words
        @param corners  points that the picture holds; default: all bodies but floors"""
        size = (SMOOTH * size[0], SMOOTH * size[1])
        self.title, self.look = title, look
        self.is_zoomed = corners is not None
        self.height = size[1]
        self.renderer = vtk.vtkRenderer()
        self.renderer.SetBackground(1, 1, 1)
        self.renderer.SetBackgroundAlpha(0 if look.is_transparent else 1)
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
        stress, pressure = max(f.stress for f in frames), max(f.pressure for f in frames)
        name, unit, self.of_cells = FIELDS[frames[0].field]
        colours = (look.map, STRESS_MAP[1] if look.map == STRESS_MAP[0] else 0)
        has_soft = any(f.softs for f in frames)
        self.stress = Colours(name, unit, colours, stress, look.limits) if has_soft else None
        name = "contact\npressure" if frames[0].has_faces else "pressure of\ncontact polygons"
        is_drawn = pressure and look.has_contact
        self.pressure = Colours(name, "Pa", PRESSURE_MAP, pressure) if is_drawn else None
        self.force = max(
            (numpy.linalg.norm(f.forces, axis=1).max() for f in frames if len(f.forces)), default=0
        )
        self.touching = set().union(*(f.touching for f in frames))
        self.containers = set().union(*(f.containers for f in frames))
        self.corners = (
            numpy.concatenate([f.corners() for f in frames]) if corners is None else corners
        )
        self.place_camera(
            self.corners, numpy.array(direction or self.auto_direction(frames), float), size
        )
        self.triad = self.add_triad()

    @staticmethod
    def auto_direction(frames):
        """Look along the side of the soft bodies that is clearly the thinnest, else along y; from a
        little above and aside."""
        bodies = frames[0].softs or [frames[0].rigid]
        extent = numpy.ptp(
            numpy.concatenate([box_corners(body.GetBounds()) for body in bodies]), axis=0
        )
        return AUTO[int(numpy.argmin(extent * (1, 0.7, 1)))]

    def place_camera(self, points, direction, size):
        """Parallel projection that holds all points, with room for the bars on the right and the
        title."""
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
        focus += right * (
            0.5 * (across.min() + across.max()) - focus @ right + 0.10 * scale * size[0] / size[1]
        )
        focus += up * (0.5 * (along.min() + along.max()) - focus @ up)
        camera.ParallelProjectionOn()
        camera.SetParallelScale(scale)
        camera.SetFocalPoint(*focus)
        camera.SetPosition(*(focus + 10 * scale * direction))
        camera.SetViewUp(*up)
        self.scale = scale
        self.aspect = size[0] / size[1]
        self.narrow = min(1, self.aspect / 1.1)  # of letters beside colour bars

    def add_triad(self):
        axes = vtk.vtkAxesActor()
        for caption in (
            axes.GetXAxisCaptionActor2D(),
            axes.GetYAxisCaptionActor2D(),
            axes.GetZAxisCaptionActor2D(),
        ):
            set_font(caption.GetCaptionTextProperty(), 12)
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
        if self.stress:
            colour_by(actor, self.stress, cells=self.of_cells)
        actor.GetProperty().SetAmbient(0.5)  # shades stay near those of the bar
        actor.GetProperty().SetDiffuse(0.55)
        actor.GetProperty().SetEdgeVisibility(self.look.has_mesh)
        actor.GetProperty().SetEdgeColor(0.15, 0.2, 0.25)
        actor.GetProperty().SetLineWidth(self.height / 1800)
        self.renderer.AddActor(actor)
        self.add_edges(polygons, INK)

    def add_edges(self, polygons, colour):
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(polygons)
        edges.SetFeatureAngle(40)
        edges.ColoringOff()
        self.renderer.AddActor(actor_of(edges, colour, width=self.height / 900))

    def add_rigid(self, body, polygons):
        """Translucent, so that the patches on them are seen; what nothing touches, and what holds
        others, steps back."""
        touches = body in self.touching and body not in self.containers
        opacity = (
            0.08
            if body in self.containers
            else 0.2
            if not touches
            else 0.35
            if self.pressure
            else 0.7
        )
        self.renderer.AddActor(
            actor_of(polygons, PALETTE[body % len(PALETTE)] if touches else BYSTANDER, opacity)
        )
        self.add_edges(polygons, INK if touches else (0.5, 0.5, 0.52))

    def add_floor(self, square, bodies):
        """A half space: a pale grid below the scene, whose lines are a round length apart; a hair
        lower than true, so that patches lie on it, with the shadows of bodies straight above."""
        corner = vtk_to_numpy(square.GetPoints().GetData()).astype(float)
        x, y = ((corner[i] - corner[0]) / numpy.linalg.norm(corner[i] - corner[0]) for i in (1, 3))
        across, along = (self.corners - corner[0]) @ x, (self.corners - corner[0]) @ y
        margin = 0.25 * max(numpy.ptp(across), numpy.ptp(along))
        up = numpy.cross(x, y)
        corner -= 0.01 * margin * up
        for polygons in bodies:
            points = vtk_to_numpy(polygons.GetPoints().GetData()).astype(float)
            height = (points - corner[0]) @ up - 0.002 * margin
            shadow, below = vtk.vtkPolyData(), vtk.vtkPoints()
            shadow.DeepCopy(polygons)
            below.SetData(numpy_to_vtk(points - numpy.outer(height, up), deep=True))
            shadow.SetPoints(below)
            actor = actor_of(shadow, (0.82, 0.825, 0.83))
            actor.GetProperty().LightingOff()
            self.renderer.AddActor(actor)
        step = round_length(0.4 * margin)
        (x0, x1), (y0, y1) = (
            [
                step * math.floor((v.min() - margin) / step),
                step * math.ceil((v.max() + margin) / step),
            ]
            for v in (across, along)
        )
        plane = vtk.vtkPlaneSource()
        plane.SetOrigin(*(corner[0] + x0 * x + y0 * y))
        plane.SetPoint1(*(corner[0] + x1 * x + y0 * y))
        plane.SetPoint2(*(corner[0] + x0 * x + y1 * y))
        plane.SetResolution(round((x1 - x0) / step), round((y1 - y0) / step))
        actor = actor_of(plane, (0.96, 0.96, 0.965), width=self.height / 1800)
        actor.GetProperty().EdgeVisibilityOn()
        actor.GetProperty().SetEdgeColor(0.86, 0.87, 0.88)
        self.renderer.AddActor(actor)

    def add_contact(self, polygons):
        """Patches coloured by pressure, with bold borders since many are slivers; faint where
        something hides them. Points have no pressure."""
        if polygons.GetNumberOfCells() == 0 or not self.pressure:
            return
        merged = vtk.vtkCleanPolyData()
        merged.SetInputData(polygons)
        borders = vtk.vtkFeatureEdges()
        borders.SetInputConnection(merged.GetOutputPort())
        borders.FeatureEdgesOff()
        borders.ColoringOff()
        for renderer, opacity in ((self.renderer, 1), (self.overlay, 0.35)):
            for source, width in ((polygons, None), (borders, self.height / 240)):
                actor = actor_of(source, opacity=opacity, width=width)
                colour_by(actor, self.pressure, cells=False)
                actor.GetProperty().LightingOff()
                mapper = actor.GetMapper()  # before the surfaces that they lie in
                mapper.SetResolveCoincidentTopologyToPolygonOffset()
                mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(-6, -6)
                mapper.SetRelativeCoincidentTopologyLineOffsetParameters(-6, -6)
                renderer.AddActor(actor)

    def add_forces(self, frame):
        """Contact in points: an arrow from each along its force, as long as the force is large."""
        if not len(frame.forces) or not self.look.has_contact:
            return
        places, ends = vtk.vtkPoints(), vtk.vtkPolyData()
        places.SetData(numpy_to_vtk(frame.points, deep=True))
        ends.SetPoints(places)
        ends.GetPointData().SetVectors(numpy_to_vtk(frame.forces, deep=True))
        shape, arrows = vtk.vtkArrowSource(), vtk.vtkGlyph3D()
        for name, value in ("TipLength", 0.2), ("TipRadius", 0.04), ("ShaftRadius", 0.012):
            getattr(shape, f"Set{name}")(value)
        shape.SetTipResolution(24)
        arrows.SetInputData(ends)
        arrows.SetSourceConnection(shape.GetOutputPort())
        arrows.SetScaleModeToScaleByVector()
        arrows.SetScaleFactor(FORCE_LENGTH * self.scale / self.force)
        arrows.Update()
        for renderer, opacity in ((self.renderer, 1), (self.overlay, 0.5)):
            renderer.AddActor(actor_of(arrows.GetOutput(), FORCE, opacity))
        text = f"longest arrow: {self.force:.3g} N"
        self.overlay.AddActor2D(text_actor(text, 0.78, 0.015, self.height / 46))

    def add_panel(self, left, low, right, high):
        """Bodies that a picture on one of them cuts off reach below words and scales."""
        if not self.is_zoomed:
            return
        points, cells = vtk.vtkPoints(), vtk.vtkCellArray()
        cells.InsertNextCell(4)
        for x, y in ((left, low), (right, low), (right, high), (left, high)):
            cells.InsertCellPoint(points.InsertNextPoint(x, y, 0))
        polygons = vtk.vtkPolyData()
        polygons.SetPoints(points)
        polygons.SetPolys(cells)
        actor = flat_actor(polygons)
        actor.GetProperty().SetColor(1, 1, 1)
        actor.GetProperty().SetOpacity(0.85)
        self.overlay.AddActor2D(actor)

    def add_bar(self, colours, low):
        self.add_panel(0.845, low - 0.015, 1, low + 0.405)
        bar = vtk.vtkScalarBarActor()
        bar.SetLookupTable(colours.bar_table)
        bar.SetNumberOfLabels(colours.labels)
        bar.SetLabelFormat(" %-.4g")
        bar.UnconstrainedFontSizeOn()
        bar.SetBarRatio(0.22)
        bar.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
        bar.SetPosition(0.855, low)
        bar.SetWidth(0.13)
        bar.SetHeight(0.32)
        set_font(bar.GetLabelTextProperty(), self.narrow * self.height / 50)
        self.overlay.AddActor2D(bar)
        title = text_actor(colours.title, 0.855, low + 0.345, self.narrow * self.height / 46)
        self.overlay.AddActor2D(title)

    def add_ruler(self):
        """A length to compare with, bottom centre: the projection is parallel."""
        width = 2 * self.scale * self.aspect
        length = round_length(0.2 * width)
        left, right, low = 0.45 - 0.5 * length / width, 0.45 + 0.5 * length / width, 0.035
        self.add_panel(left - 0.015, 0, right + 0.015, low + 0.045)
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
        actor = flat_actor(polygons)
        actor.GetProperty().SetColor(*INK)
        actor.GetProperty().SetLineWidth(self.height / 500)
        self.overlay.AddActor2D(actor)
        self.overlay.AddActor2D(
            text_actor(f"{1e3 * length:g} mm", 0.45, low + 0.012, self.height / 46, centred=True)
        )

    def add_cables(self, frame):
        """Cables as dark lines."""
        if frame.cables is None:
            return
        mapper = vtk.vtkDataSetMapper()
        mapper.SetInputData(frame.cables)
        mapper.ScalarVisibilityOff()
        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetLineWidth(3 * SMOOTH)
        actor.GetProperty().SetColor(0.1, 0.1, 0.1)
        actor.GetProperty().LightingOff()
        self.renderer.AddActor(actor)

    def draw(self, frame, has_bars=True, has_words=True, label=""):
        """Image of a frame; a label beside the others of a row."""
        self.renderer.RemoveAllViewProps()
        self.overlay.RemoveAllViewProps()
        apart = frame.floors | self.containers
        shadows = [p for body, p in frame.bodies if body in self.touching - apart] + frame.softs
        for body, polygons in frame.bodies:
            if body in frame.floors:
                self.add_floor(polygons, shadows)
            else:
                self.add_rigid(body, polygons)
        for polygons in frame.softs:
            self.add_soft(polygons)
        self.add_contact(frame.patches)
        self.add_forces(frame)
        self.add_cables(frame)
        for colours, low in ((self.stress, 0.52), (self.pressure, 0.08)):
            if colours and has_bars:
                self.add_bar(colours, low)
        if has_words:
            self.add_ruler()
        if has_words and self.title is not None:
            self.add_panel(0, 0.925, 1, 1)
            words = self.title if label else self.words(frame)
            self.overlay.AddActor2D(text_actor(words, 0.02, 0.945, self.height / 34))
        if label:
            self.overlay.AddActor2D(text_actor(label, 0.02, 0.885, self.height / 34))
        return self.grab()

    def words(self, frame):
        return f"{self.title}    t = {frame.time:.2f} s".strip()

    @staticmethod
    def labels(frames):
        """Letter and time of each of several frames."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        return [f"({letters[k % 26]})  t = {f.time:.3g} s" for k, f in enumerate(frames)
                ] if len(frames) > 1 else [""]

    def draw_row(self, frames, has_words=True):
        """Image of several frames side by side, the first one with the ruler, the last one with the
        bars; without a title cut to what is drawn."""
        images = []
        for label, frame in zip(self.labels(frames), frames):
            self.triad.SetEnabled(not images)
            images.append(self.draw(frame, has_words and frame is frames[-1],
                                    has_words and not images, has_words and label))
        width, height = images[0].size
        part = round(BARS * width)
        row = Image.new(images[0].mode, (part * (len(images) - 1) + width, height))
        for k, image in enumerate(images):
            row.paste(image, (part * k, 0))
        if self.title is None and has_words:
            ground = Image.new(row.mode, row.size, (255, 255, 255, 0)[:len(row.mode)])
            left, top, right, low = ImageChops.difference(row, ground).getbbox()
            row = row.crop((max(0, left - 16), max(0, top - 16), min(row.width, right + 16),
                            min(row.height, low + 16)))
        return row

    def figure_of_row(self, frames):
        """Figure of several frames side by side: bodies as an image, all else as lines and text."""
        image = self.draw_row(frames, has_words=False)
        wide, high = (size / 160 for size in image.size)
        one, size = BARS * self.height * self.aspect / SMOOTH / 160, 72 * high
        figure = Figure(figsize=(wide, high))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(0, high), aspect="equal")
        axes.imshow(image, extent=(0, wide, 0, high))
        axes.set_axis_off()
        full = one / BARS  # width of one picture with the room for bars
        length = round_length(0.4 * self.scale * self.aspect)
        half = 0.25 * length / self.scale / self.aspect * full
        middle, low = 0.45 * full, 0.035 * high
        axes.plot((middle - half, middle + half), (low, low), "|-", color=INK, linewidth=1)
        axes.text(middle, low + 0.015 * high, f"{1e3 * length:g} mm", ha="center",
                  fontsize=size / 46)
        if self.title is not None:
            words = self.title if len(frames) > 1 else self.words(frames[0])
            axes.text(0.02 * full, 0.945 * high, words, fontsize=size / 34)
        for k, label in enumerate(self.labels(frames)):
            axes.text(one * k + 0.02 * full, 0.885 * high, label, fontsize=size / 34)
        for colours, low in ((self.stress, 0.52), (self.pressure, 0.08)):
            if colours:
                left = one * (len(frames) - 1) + 0.855 * full
                bar = figure.add_axes((left / wide, low, 0.028 * full / wide, 0.32))
                shades = colormaps[colours.map[0]](numpy.linspace(colours.map[1], 1, 256))
                scale = cm.ScalarMappable(Normalize(*colours.range), ListedColormap(shades))
                figure.colorbar(scale, cax=bar).ax.tick_params(labelsize=self.narrow * size / 50)
                bar.set_title(colours.title, loc="left", fontsize=self.narrow * size / 46)
        return figure

    def grab(self):
        """Image of what has been added."""
        self.renderer.ResetCameraClippingRange()
        self.window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self.window)
        colours = 4 if self.look.is_transparent else 3
        grab.SetInputBufferTypeToRGBA() if colours == 4 else grab.SetInputBufferTypeToRGB()
        grab.ReadFrontBufferOff()
        grab.ShouldRerenderOff()
        grab.Update()
        image = grab.GetOutput()
        width, height, _ = image.GetDimensions()
        pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, colours)
        return Image.fromarray(numpy.ascontiguousarray(pixels[::-1])).reduce(SMOOTH)
