#!/usr/bin/python3
"""Write a run as one HTML file that opens in a browser without server or network: deformed bodies
in three dimensions over time, fields, contact patches, forces, curves, verdicts, scene.  Of a
study (converge, sweep, holding, stiffness, optimize, fit, gradient): figure, table, and the last
frame of each point that has frames.

usage: supple share DIR [-o HTML] [--frames N] [--fields NAMES]
"""
import argparse
import base64
import functools
import html
import json
import math
import os
import re
import sys
import time
import urllib.parse
import zlib

import numpy
import vtk
from matplotlib import colormaps
from vtk.util.numpy_support import vtk_to_numpy

import runs
import studies
from plot_history import unit_of

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "share")
LEVELS = 65534  # of a quantised number; one more says that it is not finite
MOST_FRAMES, MOST_ROWS = 300, 3000  # shown in a page
MOST_NEW = 3  # frames of a live run in an answer
MOST_POINTS, MOST_POINT_ROWS = 60, 300  # of a study: points with bodies, rows of their curves
MAPS = ("viridis", "cividis", "plasma", "turbo", "coolwarm", "Greys", "YlOrRd")
SIX = {"xx": 0, "yy": 4, "zz": 8, "xy": 1, "yz": 5, "xz": 2}  # of a symmetric tensor's nine
RIGID_ERROR = 1e-5  # of a body's size: motions that a rotation and a shift do not describe
PLAIN = {"body_id", "link_id", "material_id"}  # numbers that name


# ---- numbers -------------------------------------------------------------------------------------


def pack(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def exact(values, kind="<f4"):
    """An array as it is, bytes of equal weight side by side."""
    values = numpy.ascontiguousarray(values, dtype=kind)
    planes = values.view(numpy.uint8).reshape(-1, values.dtype.itemsize).T
    return {"kind": kind[1:], "shape": list(values.shape), "data": pack(planes.tobytes())}


def quantised(values):
    """Frames of numbers in LEVELS equal steps from least to largest, as differences in time.
    @return what the page reads; `step` is twice the largest error"""
    values = numpy.asarray(values, dtype=float)
    finite = numpy.isfinite(values)
    low = float(values[finite].min()) if finite.any() else 0.0
    high = float(values[finite].max()) if finite.any() else 0.0
    step = (high - low) / LEVELS
    whole = numpy.full(values.shape, LEVELS + 1, dtype="<u2")
    whole[finite] = numpy.rint((values[finite] - low) / step) if step else 0
    change = numpy.diff(whole, axis=0, prepend=numpy.zeros_like(whole[:1]))
    planes = change.view(numpy.uint8).reshape(-1, 2).T
    return {
        "kind": "q2",
        "shape": list(values.shape),
        "low": low,
        "high": high,
        "step": step,
        "data": pack(planes.tobytes()),
    }


# ---- bodies --------------------------------------------------------------------------------------


def array_of(data, name):
    array = data.GetArray(name)
    return None if array is None else vtk_to_numpy(array)


def surface_of(grid):
    """Outer polygons of a soft body, with the points and cells of the grid that they are of."""
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.PassThroughPointIdsOn()
    surface.PassThroughCellIdsOn()
    surface.Update()
    out = surface.GetOutput()
    corners, counts = runs.polygons_of(out)
    points = array_of(out.GetPointData(), "vtkOriginalPointIds")
    places, drawn = (vtk_to_numpy(data.GetPoints().GetData()) for data in (grid, out))
    cells = array_of(out.GetCellData(), "vtkOriginalCellIds")
    if not (places[points] == drawn).all():  # VTK's numbers of quadratic faces are others
        known = {place.tobytes(): i for i, place in enumerate(places)}
        points = numpy.array([known[place.tobytes()] for place in drawn])
        cells_at = [set() for _ in places]
        of_cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        sizes = numpy.diff(vtk_to_numpy(grid.GetCells().GetOffsetsArray()))
        for point, cell in zip(of_cells, numpy.repeat(numpy.arange(len(sizes)), sizes)):
            cells_at[point].add(cell)
        faces = numpy.split(points[corners], numpy.cumsum(counts)[:-1])
        cells = numpy.array([min(set.intersection(*(cells_at[p] for p in f))) for f in faces])
    return corners, counts, points, cells


def components(name, values):
    """{name: numbers} of a field: of vectors the length, of tensors the six."""
    if values.ndim == 1:
        return {name: values}
    if values.shape[1] == 9:
        return {f"{name} {end}": values[:, i] for end, i in SIX.items()}
    if name == "principal_stress":
        return {f"{name} {i + 1}": values[:, i] for i in range(values.shape[1])}
    return {name: numpy.linalg.norm(values, axis=1)}


def fields_of(grid, points, cells, chosen):
    """{name: numbers of the surface}, those of points first."""
    fields = {}
    for data, places in ((grid.GetPointData(), points), (grid.GetCellData(), cells)):
        for i in range(data.GetNumberOfArrays()):
            name = data.GetArrayName(i)
            if name in PLAIN or (chosen and name not in chosen):
                continue
            found = components(name, vtk_to_numpy(data.GetArray(i))[places])
            for key, values in found.items():
                fields.setdefault(key, (data.IsA("vtkCellData"), values))
    return fields


def shown_field(key, of_cells, values, modulus, size):
    """Frames of a field; `round_off` where nothing else is in it."""
    name, values = key.split()[0], numpy.array(values)
    least = runs.round_off(name, modulus, size)
    is_noise = least > 0 and 0 < numpy.nanmax(numpy.abs(values), initial=0) < least
    return {
        "cells": bool(of_cells),
        "unit": runs.unit_of_field(name),
        "round_off": least if is_noise else 0,
        **quantised(0 * values if is_noise else values),
    }


@functools.lru_cache
def rest_of(path):
    """Frame and surface of a soft body, of which each further frame has points and cells."""
    grid = runs.read_frame(path)
    return grid, surface_of(grid)


def soft_body(name, rest, files, chosen, modulus):
    """Surface of a soft body over time."""
    first, (corners, counts, points, cells) = rest_of(rest)
    places, fields = [], {}
    for path in files:
        grid = runs.read_frame(path)
        if grid.GetNumberOfPoints() != first.GetNumberOfPoints():
            raise runs.RunError(f"{path} has other points than {rest}")
        rest = vtk_to_numpy(grid.GetPoints().GetData())[points].astype(float)
        moved = array_of(grid.GetPointData(), "displacement")
        if moved is None:
            raise runs.RunError(f"{path} has no displacements: the file is cut short")
        places.append(rest + moved[points])
        for key, (of_cells, values) in fields_of(grid, points, cells, chosen).items():
            fields.setdefault(key, (of_cells, []))[1].append(values)
    return {
        "name": name,
        "corners": exact(corners, "<u4"),
        "counts": exact(counts, "<u4"),
        "points": exact(points, "<u4"),
        "cells": exact(cells, "<u4"),
        "places": [quantised(axis) for axis in numpy.moveaxis(numpy.array(places), 2, 0)],
        "fields": {
            key: shown_field(key, of_cells, values, modulus, first.GetLength())
            for key, (of_cells, values) in fields.items()
            if len(values) == len(files)
        },
    }


def motion_of(points, first):
    """Rotation and shift that take `first` to `points` best, and the largest distance left."""
    middle, before = points.mean(axis=0), first.mean(axis=0)
    left, _, right = numpy.linalg.svd((first - before).T @ (points - middle))
    flip = numpy.diag([1, 1, numpy.sign(numpy.linalg.det(left @ right))])
    turn = (left @ flip @ right).T
    shift = middle - turn @ before
    error = numpy.abs(first @ turn.T + shift - points).max()
    return numpy.column_stack([turn, shift]), error


def names_of_ids(grid):
    """{number: name} of bodies, as a frame has them."""
    data = grid.GetFieldData()
    names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
    return {
        int(data.GetArray(n).GetTuple1(0)): urllib.parse.unquote(n[len("body.") :])
        for n in names
        if n.startswith("body.")
    }


def rigid_bodies(rest, files):
    """Shapes of rigid bodies and links in the first frame, and their motions [3 x 4] from there in
    files; points over time of those that change."""
    grids = [runs.read_frame(path) for path in (rest, *files)]
    corners, counts = runs.polygons_of(grids[0])
    ids, links = (array_of(grids[0].GetCellData(), name) for name in ("body_id", "link_id"))
    if not len(counts):
        return []
    links = numpy.zeros_like(ids) if links is None else links
    points = [vtk_to_numpy(grid.GetPoints().GetData()).astype(float) for grid in grids]
    names, bodies = names_of_ids(grids[0]), []
    owners = numpy.repeat(numpy.arange(len(counts)), counts)
    for body, link in numpy.unique(numpy.column_stack([ids, links]), axis=0):
        mine = (ids == body) & (links == link)
        used, local = numpy.unique(corners[mine[owners]], return_inverse=True)
        shape = {
            "name": names.get(int(body), f"body {body}"),
            "corners": exact(local, "<u4"),
            "counts": exact(counts[mine], "<u4"),
        }
        first = points[0][used]
        size = numpy.ptp(first, axis=0).max() or 1
        motions, errors = zip(*(motion_of(p[used], first) for p in points[1:]))
        if max(errors) < RIGID_ERROR * size:
            shape.update(first=exact(first), motions=exact(motions), error=float(max(errors)))
        else:
            moved = numpy.array([p[used] for p in points[1:]])
            shape["places"] = [quantised(axis) for axis in numpy.moveaxis(moved, 2, 0)]
        shape["floor"] = bool(mine.sum() == 1)
        bodies.append(shape)
    return bodies


# ---- contact -------------------------------------------------------------------------------------


def patches(files):
    """Polygons of contact with the pressure at their corners, a frame after another."""
    starts, places, pressures, corners, counts = [], [], [], [], []
    for path in files:
        grid = runs.read_frame(path)
        of_frame, sizes = runs.polygons_of(grid)
        used, local = numpy.unique(of_frame, return_inverse=True)
        starts.append([len(used), len(sizes)])
        pressure = array_of(grid.GetPointData(), "pressure")
        pressures.append(pressure[used] if len(used) else numpy.zeros(0))
        places.append(vtk_to_numpy(grid.GetPoints().GetData())[used].reshape(-1, 3))
        corners.append(local)
        counts.append(sizes)
    packed = quantised(numpy.concatenate(pressures)[:, None])
    return {
        "starts": exact(starts, "<u4"),
        "places": exact(numpy.concatenate(places)),
        "pressure": packed,
        "corners": exact(numpy.concatenate(corners), "<u4"),
        "counts": exact(numpy.concatenate(counts), "<u4"),
    }


def centres_of(grid):
    """Middle of each cell."""
    filter_ = vtk.vtkCellCenters()
    filter_.SetInputData(grid)
    filter_.VertexCellsOff()
    filter_.Update()
    return vtk_to_numpy(filter_.GetOutput().GetPoints().GetData()).astype(float)


def arrows_of(grid):
    """Place [m] and force [N] of each contact in a point, and of each pair the sum of its polygons
    at their middle."""
    data = grid.GetCellData()
    if not grid.GetNumberOfCells():
        return numpy.zeros((0, 6))
    area, traction = array_of(data, "area"), array_of(data, "traction").astype(float)
    places, points = centres_of(grid), area == 0
    rows = [numpy.hstack([places[points], traction[points]])]
    pairs = numpy.column_stack([array_of(data, "body_a"), array_of(data, "body_b")])
    force = traction * area[:, None]
    for pair in numpy.unique(pairs[~points], axis=0):
        mine = (pairs == pair).all(axis=1) & ~points
        weight = numpy.linalg.norm(force[mine], axis=1)
        if weight.sum() > 0:
            place = (places[mine] * weight[:, None]).sum(axis=0) / weight.sum()
            rows.append(numpy.hstack([place, force[mine].sum(axis=0)])[None])
    return numpy.concatenate(rows)


def forces(files):
    frames = [arrows_of(runs.read_frame(path)) for path in files]
    return {
        "starts": exact([len(frame) for frame in frames], "<u4"),
        "rows": exact(numpy.concatenate(frames)),
    }


def cables(files):
    """Ends of the pieces of cables, a frame after another."""
    frames = []
    for path in files:
        grid, ends = runs.read_frame(path), []
        for i in range(grid.GetNumberOfCells()):
            cell = grid.GetCell(i)
            line = vtk_to_numpy(cell.GetPoints().GetData())
            ends += [line[j + k] for j in range(len(line) - 1) for k in (0, 1)]
        frames.append(numpy.array(ends).reshape(-1, 3))
    return {
        "starts": exact([len(frame) for frame in frames], "<u4"),
        "rows": exact(numpy.concatenate(frames)),
    }


# ---- words ---------------------------------------------------------------------------------------


def curves(folder, most, start):
    """Columns of the history behind a byte of its file, with units, and the byte of their end."""
    history, end = runs.read_history(folder, start)
    stride = max(1, -(-len(history["time"]) // most))
    return [
        {"name": name, "unit": unit_of(name), **exact(values[::stride])}
        for name, values in history.items()
    ], end


def hash_of(text):
    """FNV-1a of 64 bits, as manifest.json has it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def finite(value):
    """JSON without numbers that it does not have."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def words(folder):
    """Verdicts, scene, versions and hashes."""
    about = {}
    for name in ("summary", "manifest"):
        path = os.path.join(folder, f"{name}.json")
        about[name] = finite(runs.load_json(path)) if os.path.exists(path) else {}
    inputs = about["manifest"].get("inputs") or [{"path": ""}]
    base = about["manifest"].get("working_directory", "")
    scene = runs.text_of(os.path.join(base, inputs[0]["path"])) if inputs[0]["path"] else ""
    is_old = scene and hash_of(scene) != inputs[0].get("fnv1a")
    about["scene"] = "" if is_old else scene  # of the run, not what was written since
    about["resolved"] = runs.text_of(os.path.join(folder, "resolved.yaml"))
    return about


def check_fields(chosen, files):
    """Refuse fields of --fields that no soft body has."""
    known = set()
    for path in files:
        grid = runs.read_frame(path)
        for data in grid.GetPointData(), grid.GetCellData():
            known |= {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())} - PLAIN
    for name in sorted(chosen - known):
        raise runs.RunError(f"--fields: found '{name}', expected {', '.join(sorted(known))}")


def spread(most, count):
    """At most so many of 0, 1 .. count - 1, evenly, the last among them."""
    return numpy.unique(numpy.linspace(count - 1, 0, min(most, count)).round().astype(int))


def shapes_of(folder, groups, kept, chosen):
    """Bodies, contacts and cables in frames that are kept."""
    files = {name: [entries[k][1] for k in kept] for name, entries in groups.items()}
    first = {name: entries[0][1] for name, entries in groups.items()}
    soft = [name for name in files if name not in runs.SHARED]
    if chosen:
        check_fields(chosen, [first[name] for name in soft])
    moduli = runs.load_moduli(folder)
    bodies = [soft_body(n, first[n], files[n], chosen, moduli.get(n, 0)) for n in soft]
    marks = files.get("pressure") or files.get("contact")
    return {
        "soft": bodies,
        "rigid": rigid_bodies(first["rigid"], files["rigid"]) if "rigid" in files else [],
        "patches": patches(marks) if marks else None,
        "faces": "pressure" in files,
        "forces": forces(files["contact"]) if "contact" in files else None,
        "cables": cables(files["cables"]) if "cables" in files else None,
    }


def run_of(folder, most, chosen, most_rows=MOST_ROWS, frames=0, start=0):
    """A run; of frames, and of the history behind a byte of its file, that come later."""
    groups = runs.load_series(folder)
    times = [time for time, _ in next(iter(groups.values()))]
    kept = frames + spread(most, len(times) - frames)
    columns, end = curves(folder, most_rows, start)
    return {
        "title": runs.title_of(folder),
        "static": runs.is_static(folder),
        "frames": len(times),
        "times": [times[k] for k in kept],
        **(shapes_of(folder, groups, kept, chosen) if len(kept) else {}),
        "curves": columns,
        "end": end,
        **words(folder),
    }


def data_of(folder, most, chosen):
    """A run, or a study with its points."""
    page, places = studies.study_of(folder)
    if page is None:
        page = run_of(folder, most or MOST_FRAMES, chosen)
    else:
        have = [i for i, place in enumerate(places) if runs.has_frames(place)]
        kept = {have[k] for k in spread(most or MOST_POINTS, len(have))}
        page["points"] = [
            run_of(place, 1, chosen, MOST_POINT_ROWS) if i in kept else None
            for i, place in enumerate(places)
        ]
    page["maps"] = {
        name: numpy.rint(255 * colormaps[name](numpy.linspace(0, 1, 64))[:, :3]).tolist()
        for name in MAPS
    }
    return page


def text_of(data):
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def page_of(data):
    """The page with its programme, styles and data in one."""
    program = runs.text_of(os.path.join(HERE, "bundle.js"))
    parts = {
        "{title}": html.escape(data["title"]),
        "/*style*/": runs.text_of(os.path.join(HERE, "page.css")),
        "/*licence*/": runs.text_of(os.path.join(HERE, "LICENSE.three")),
        "/*program*/": program.replace("</script", "<\\/script"),
        "/*data*/": text_of(data).replace("<", "\\u003c"),
    }
    return re.sub(
        "|".join(map(re.escape, parts)),
        lambda mark: parts[mark.group()],
        runs.text_of(os.path.join(HERE, "page.html")),
    )


def serve(folder, most, path):
    """Answer a live run: each line of the input has the frames and the bytes of the history that a
    page shows, none of a page that is to come.  The answer is a file, the output tells whether it
    is good."""
    for line in sys.stdin:
        frames, start = map(int, line.split())
        for wait in (0.05, 0.2, 0):  # a file may be read while its end is written
            try:
                if frames:
                    text = text_of(run_of(folder, MOST_NEW, None, MOST_ROWS, frames, start))
                else:
                    text = page_of(data_of(folder, most, None))
                break
            except (runs.RunError, OSError, ValueError) as error:
                text, fault = "", str(error)
                time.sleep(wait)
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write(text or fault)
        os.replace(f"{path}.new", path)  # a page is being sent that was made before
        print("+" if text else "-", end="", flush=True)


def parse():
    parser = argparse.ArgumentParser(
        prog="supple share",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", metavar="DIR", help="folder of a run, study or sweep")
    parser.add_argument("-o", "--output", metavar="HTML", help="default: DIR/share.html")
    parser.add_argument(
        "--frames",
        type=int,
        metavar="N",
        help=f"at most ({MOST_FRAMES}); of a study: points with bodies ({MOST_POINTS})",
    )
    parser.add_argument("--fields", metavar="NAMES", help="with commas between; default: all")
    parser.add_argument("--live", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.frames is not None and arguments.frames < 1:
        parser.error("--frames must be positive")
    return arguments


def main():
    arguments = parse()
    if arguments.live:
        serve(arguments.run, arguments.frames, arguments.output)
        return
    chosen = set(arguments.fields.split(",")) if arguments.fields else None
    data = data_of(arguments.run, arguments.frames, chosen)
    path = arguments.output or os.path.join(arguments.run, "share.html")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page_of(data))
    except OSError as error:
        raise runs.RunError(f"cannot write {path}: {error.strerror}") from error
    count = f"{len(data['rows'])} points" if "rows" in data else f"{len(data['times'])} frames"
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB, {count}")


if __name__ == "__main__":
    runs.run(main)
