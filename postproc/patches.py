#!/usr/bin/python3
"""Draw the contact patches on a body: on the body in three dimensions, and each pair's patch flat,
seen along its mean normal, with axes in mm, its centre of pressure, force and area.

usage: patches.py RUN_DIR [--body NAME] [--time T] [-o PNG]
examples:
  patches.py out/finray_grasp_ball                last frame -> out/finray_grasp_ball/patches.png
  patches.py out/spatula_gripper --body spatula --time 2          the frame nearest to 2 s

Pressures of a soft surface on a rigid body are forces on its vertices over their area, linear in
between; --raw shows those of the contact polygons.  Between other bodies they are the polygons'.
--flat shows the mean of each face or polygon.
Needs no screen: it starts itself again under xvfb-run where that is installed."""
import argparse
import io
import os

import matplotlib
import numpy
import vtk
from PIL import Image
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

import picture
import render
import runs

matplotlib.use("Agg")
from matplotlib import pyplot, tri  # noqa: E402  (the backend comes first)

MOST_PAIRS = 3
CELL_FIELDS = ("pressure", "traction", "normal", "area", "body_a", "body_b")
SHAPE = (0.86, 0.88, 0.91)
ZOOM = 0.82
COLOURS = matplotlib.colormaps["turbo"]


class Patches:
    """Polygons of one frame in which two bodies press each other; forces and normals are those on
    body b."""

    def __init__(self, polygons):
        data = polygons.GetCellData()
        field = {
            data.GetArrayName(i): vtk_to_numpy(data.GetArray(i))
            for i in range(data.GetNumberOfArrays())
        }
        points = vtk_to_numpy(polygons.GetPoints().GetData()).astype(float)
        at_corners = polygons.GetPointData().GetArray("pressure")
        if at_corners is None or any(name not in field for name in CELL_FIELDS):
            raise runs.RunError(
                f"the contact files lack the pressure of points or one of the cells' "
                f"{', '.join(CELL_FIELDS)}"
            )
        keep = numpy.flatnonzero(field["area"] > 0)  # a point has no pressure
        ids = [
            [
                polygons.GetCell(int(i)).GetPointId(k)
                for k in range(polygons.GetCell(int(i)).GetNumberOfPoints())
            ]
            for i in keep
        ]
        self.corners, self.levels = [points[i] for i in ids], [
            vtk_to_numpy(at_corners)[i] for i in ids
        ]
        self.pressure, self.area, self.normal = (
            field[name][keep].astype(float) for name in ("pressure", "area", "normal")
        )
        self.force = field["traction"][keep] * self.area[:, None]
        self.bodies = numpy.stack([field["body_a"][keep], field["body_b"][keep]], axis=1)

    def chosen(self, indices):
        """Some of them."""
        part = Patches.__new__(Patches)
        part.corners, part.levels = [self.corners[i] for i in indices], [
            self.levels[i] for i in indices
        ]
        for name in ("pressure", "area", "normal", "force", "bodies"):
            setattr(part, name, getattr(self, name)[indices])
        return part

    def towards(self, body):
        """Those of one body, as its partners press it: forces and normals into it, the partner
        first."""
        part = self.chosen(numpy.flatnonzero((self.bodies == body).any(axis=1)))
        backward = part.bodies[:, 0] == body
        part.bodies[backward] = part.bodies[backward][:, ::-1]
        sign = numpy.where(backward, -1.0, 1.0)[:, None]
        part.normal, part.force = sign * part.normal, sign * part.force
        return part

    def mean_normal(self):
        mean = (self.pressure * self.area) @ self.normal
        return mean / numpy.linalg.norm(mean)

    def centre(self):
        """Centre of pressure: integral of x p over that of p."""
        points, triangles, pressures = self.triangles(False)
        x, p = points[triangles], pressures[triangles]
        area = 0.5 * numpy.linalg.norm(numpy.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
        moment = (
            area[:, None]
            / 12
            * (p.sum(axis=1)[:, None] * x.sum(axis=1) + (p[:, :, None] * x).sum(axis=1))
        )
        return moment.sum(axis=0) / (area * p.mean(axis=1)).sum()

    def triangles(self, is_flat):
        """(points [n, 3], triangles [m, 3], pressures [n]): fans around the polygons' middles,
        corners not shared."""
        values = (
            [numpy.full(len(c), p) for c, p in zip(self.corners, self.pressure)]
            if is_flat
            else self.levels
        )
        points, pressures, triangles = [], [], []
        start = 0
        for corner, value in zip(self.corners, values):
            n = len(corner)
            points += [corner, corner.mean(axis=0)[None]]
            pressures += [value, [value.mean()]]
            triangles += [[start + k, start + (k + 1) % n, start + n] for k in range(n)]
            start += n + 1
        return numpy.concatenate(points), numpy.array(triangles), numpy.concatenate(pressures)


# ---- which body, which pairs ---------------------------------------------------------------------


def most_grasped(patches):
    """The body with the most partners, of those the one with the largest loads."""

    def rank(body):
        mine = patches.towards(body)
        return len(set(mine.bodies[:, 0])), numpy.linalg.norm(mine.force, axis=1).sum()

    return int(max(numpy.unique(patches.bodies), key=rank))


def body_of(name, names, patches):
    """Index of the body that is looked at."""
    if not names:
        raise runs.RunError("summary.json says no names of bodies; has the run finished?")
    if name is not None and name not in names:
        raise runs.RunError(f"there is no body '{name}'; known: {', '.join(names)}")
    if not len(patches.area):
        raise runs.RunError("nothing touches with a surface in this frame")
    body = names.index(name) if name else most_grasped(patches)
    if not (patches.bodies == body).any():
        raise runs.RunError(f"nothing touches '{names[body]}' with a surface in this frame")
    return body


def pairs_of(patches):
    """One for each partner, the strongest first."""
    pairs = [
        patches.chosen(numpy.flatnonzero(patches.bodies[:, 0] == other))
        for other in numpy.unique(patches.bodies[:, 0])
    ]
    return sorted(pairs, key=lambda pair: -numpy.linalg.norm(pair.force.sum(axis=0)))[:MOST_PAIRS]


def surface_of(body, name, frame, groups):
    """Outer surface of the body."""
    for other, polygons in frame.bodies:
        if other == body:
            return polygons
    return frame.softs[[group for group in groups if group not in runs.SHARED].index(name)]


# ---- in three dimensions -------------------------------------------------------------------------


def table(top):
    lookup = vtk.vtkLookupTable()
    lookup.SetNumberOfTableValues(256)
    for i, colour in enumerate(COLOURS(numpy.linspace(0, 1, 256))):
        lookup.SetTableValue(i, *colour)
    lookup.SetTableRange(0, top)
    return lookup


def poly_data(points, triangles, pressures):
    data, cells, places = vtk.vtkPolyData(), vtk.vtkCellArray(), vtk.vtkPoints()
    places.SetData(numpy_to_vtk(points, deep=True))
    for corner in triangles:
        cells.InsertNextCell(3)
        for k in corner:
            cells.InsertCellPoint(int(k))
    data.SetPoints(places)
    data.SetPolys(cells)
    data.GetPointData().SetScalars(numpy_to_vtk(pressures, deep=True))
    return data


class View(picture.Picture):
    """The body alone with what presses on its near side; patches lie a little inside of it and are
    drawn before it."""

    def place_camera(self, points, direction, size):
        super().place_camera(points, direction, size)
        camera = self.renderer.GetActiveCamera()
        shift = 0.5 * (points.min(axis=0) + points.max(axis=0)) - camera.GetFocalPoint()
        camera.SetFocalPoint(*(camera.GetFocalPoint() + shift))
        camera.SetPosition(*(camera.GetPosition() + shift))
        self.scale *= ZOOM  # no bars here
        camera.SetParallelScale(self.scale)

    def paint(self, surface, patches, top, is_flat):
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(surface)
        edges.SetFeatureAngle(40)
        edges.ColoringOff()
        self.renderer.AddActor(picture.actor_of(surface, SHAPE))
        self.renderer.AddActor(picture.actor_of(edges, width=self.height / 500))
        actor = picture.actor_of(poly_data(*patches.triangles(is_flat)))
        mapper = actor.GetMapper()
        mapper.ScalarVisibilityOn()
        mapper.SetLookupTable(table(top))
        mapper.UseLookupTableScalarRangeOn()
        mapper.InterpolateScalarsBeforeMappingOn()
        actor.GetProperty().LightingOff()
        self.overlay.AddActor(actor)
        self.add_ruler()
        return self.grab()


def near_side(pairs, direction):
    """Of all pairs what faces the camera; faces across the mean normal, as a finger's sides, are
    hidden by it."""
    near = []
    for pair in pairs:
        cosine = pair.normal @ pair.mean_normal()
        near.append(
            pair.chosen(numpy.flatnonzero((cosine > 0.3) & (pair.normal @ -direction > 0.1)))
        )
    whole = near[0]
    for pair in near[1:]:
        whole.corners, whole.levels = whole.corners + pair.corners, whole.levels + pair.levels
        whole.pressure = numpy.concatenate([whole.pressure, pair.pressure])
    return whole


def looking_at(patches):
    """Where the camera stands: before the strongest pair's patch, a little aside and above."""
    out = -patches.mean_normal()
    up = numpy.array([0, 0, 1.0]) if abs(out[2]) < 0.9 else numpy.array([0, 1.0, 0])
    side = numpy.cross(up, out)
    direction = out + 0.45 * side / numpy.linalg.norm(side) + 0.3 * up
    return direction / numpy.linalg.norm(direction)


# ---- flat ----------------------------------------------------------------------------------------


def axes_of(normal):
    """(right, up, their labels, whether right points to the left) of a view along the normal, from
    the side that presses; world axes where these nearly lie in the plane."""
    up = numpy.array([0, 0, 1.0]) if abs(normal[2]) < 0.9 else numpy.array([0, 1.0, 0])
    up = up - (up @ normal) * normal
    up /= numpy.linalg.norm(up)
    right, labels, is_turned = numpy.cross(normal, up), [], False
    for axis, word in ((right, "across"), (up, "along")):
        k = int(numpy.argmax(numpy.abs(axis)))
        is_world = abs(axis[k]) > 0.99
        is_turned |= is_world and axis[k] < 0
        labels.append(f"{'xyz'[k] if is_world else word} [mm]")
    return (-right if is_turned else right), up, labels, is_turned


def refined(points, triangles, values, n=8):
    """Each triangle as n x n: matplotlib interpolates colours, not values."""
    grid = [(i, k) for i in range(n + 1) for k in range(n + 1 - i)]
    at = {ik: m for m, ik in enumerate(grid)}
    parts = [(at[i, k], at[i + 1, k], at[i, k + 1]) for i in range(n) for k in range(n - i)]
    parts += [
        (at[i + 1, k], at[i + 1, k + 1], at[i, k + 1]) for i in range(n) for k in range(n - 1 - i)
    ]
    weight = numpy.array([(n - i - k, i, k) for i, k in grid]) / n
    fine = numpy.array(parts)[None] + len(grid) * numpy.arange(len(triangles))[:, None, None]
    return (
        numpy.einsum("gw,twx->tgx", weight, points[triangles]).reshape(-1, 3),
        fine.reshape(-1, 3),
        numpy.einsum("gw,tw->tg", weight, values[triangles]).ravel(),
    )


def draw_flat(axes, pair, name, middle, scale, unit, top, is_flat):
    right, up, labels, is_turned = axes_of(pair.mean_normal())
    points, triangles, pressures = refined(*pair.triangles(is_flat))
    points = 1e3 * (points - middle)
    mesh = tri.Triangulation(points @ right, points @ up, triangles)
    axes.tripcolor(
        mesh, pressures * scale, shading="gouraud", cmap=COLOURS, vmin=0, vmax=top * scale
    )
    for corner in pair.corners:
        outline = 1e3 * (numpy.concatenate([corner, corner[:1]]) - middle)
        axes.plot(outline @ right, outline @ up, color="k", lw=0.25, alpha=0.4)
    load, centre = pair.pressure @ pair.area, 1e3 * (pair.centre() - middle)
    for colour, size, width in (("w", 13, 3.5), ("k", 11, 1.5)):
        axes.plot(centre @ right, centre @ up, "+", color=colour, ms=size, mew=width)
    force = numpy.linalg.norm(pair.force.sum(axis=0))
    axes.set_title(
        f"{name}: {force:.3g} N on {1e6 * pair.area.sum():.3g} mm²\nmean "
        f"{scale * load / pair.area.sum():.3g} {unit}, "
        f"highest {scale * max(level.max() for level in pair.levels):.3g} {unit}\n"
        f"+ centre of pressure ({centre @ right:.2f}, {centre @ up:.2f}) mm",
        fontsize=9,
    )
    axes.set(xlabel=labels[0], ylabel=labels[1], aspect="equal")
    axes.margins(0.08)
    if is_turned:
        axes.invert_xaxis()
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)


def is_wide_patch(pair):
    right, up, _, _ = axes_of(pair.mean_normal())
    points = numpy.concatenate(pair.corners)
    return numpy.ptp(points @ right) > 1.8 * numpy.ptp(points @ up)


def draw(path, title, names, body, patches, surface, frame, options):
    mine = patches.towards(body)
    pairs = pairs_of(mine)
    middle = numpy.array(surface.GetBounds()).reshape(3, 2).mean(axis=1)
    top = max(level.max() for pair in pairs for level in pair.levels)
    scale, unit, _, _ = picture.scale_of(top, "Pa")
    direction = numpy.array(options.camera, float) if options.camera else looking_at(pairs[0])
    direction /= numpy.linalg.norm(direction)
    view = View(
        (720, 720), title, [frame], tuple(direction), render.box_corners(surface.GetBounds())
    )
    n, is_wide = len(pairs), all(
        is_wide_patch(pair) for pair in pairs
    )  # wide ones stand above each other
    columns = 1 if is_wide else n
    figure = pyplot.figure(figsize=(9.6 if is_wide else 4.6 + 3.6 * n, 4.8), layout="constrained")
    grid = figure.add_gridspec(
        n // columns, 1 + columns, width_ratios=[0.8 if is_wide else 1.2] + columns * [1]
    )
    axes = [figure.add_subplot(grid[:, 0])] + [
        figure.add_subplot(grid[k // columns, 1 + k % columns]) for k in range(n)
    ]
    axes[0].imshow(view.paint(surface, near_side(pairs, direction), top, options.flat))
    axes[0].set_axis_off()
    axes[0].set_title(f"{title}\n{names[body]}, t = {frame.time:.2f} s", fontsize=10)
    for flat, pair in zip(axes[1:], pairs):
        draw_flat(flat, pair, names[pair.bodies[0, 0]], middle, scale, unit, top, options.flat)
    colours = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, top * scale), COLOURS)
    figure.colorbar(colours, ax=axes[1:], label=f"contact pressure [{unit}]", shrink=0.8)
    if not path.lower().endswith(".png"):
        runs.save(figure, path, 180)
        return
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=90, bbox_inches="tight")  # titles may be wider than their axes
    Image.open(drawn).convert("RGB").quantize(255).save(path, optimize=True)  # half the size


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN_DIR", help="folder of a run")
    parser.add_argument(
        "--body",
        metavar="NAME",
        help="body or ROBOT/LINK that is looked at; default: what most others touch",
    )
    parser.add_argument(
        "--time", type=float, metavar="T", help="frame nearest to this time [s]; default: the last"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .pdf or .svg; default: RUN_DIR/patches.png"
    )
    parser.add_argument(
        "--camera",
        type=render.camera_of,
        metavar="C",
        help=(
            "where the camera stands, X,Y,Z or a name as in render.py; default: before the "
            "strongest patch"
        ),
    )
    parser.add_argument("--flat", action="store_true", help="one colour a face or polygon")
    parser.add_argument("--raw", action="store_true", help="the contact polygons as they are")
    return parser.parse_args()


def main():
    options = parse()
    groups = runs.load_series(options.run)
    for needed in ("rigid", "contact"):
        if needed not in groups:
            raise runs.RunError(f"{options.run}/vtk/{needed}.vtk.series is missing")
    render.need_screen()
    times = numpy.array([time for time, _ in groups["rigid"]])
    k = (
        len(times) - 1
        if options.time is None
        else int(numpy.argmin(numpy.abs(times - options.time)))
    )
    frame = render.Frame(groups, k, 1)
    polygons = frame.contact if options.raw else frame.patches
    patches, names = Patches(polygons), runs.body_names(options.run)
    body = body_of(options.body, names, patches)
    path = options.output or os.path.join(options.run, "patches.png")
    draw(
        path,
        runs.title_of(options.run),
        names,
        body,
        patches,
        surface_of(body, names[body], frame, groups),
        frame,
        options,
    )
    print(path)


if __name__ == "__main__":
    runs.run(main)
