#!/usr/bin/python3
"""Render a run: deformed soft bodies coloured by a field (von Mises stress), rigid bodies, contact
patches coloured by pressure, forces of point contacts as bars.

usage: render.py RUN_DIR [--time T] [-o FILE] [--animation GIF_OR_MP4]
examples:
  render.py out/finray_grasp                              last frame -> out/finray_grasp/frame.png
  render.py out/finray_grasp --time 1.5 -o closed.png     the frame nearest to 1.5 s
  render.py out/finray_grasp --animation grasp.gif        all frames at the speed of real time
  render.py out/finray_grasp --field stress_error         where cells are too large
  render.py out/finray_grasp --time 0.8 1.5 3 --no-title --no-mesh --range 0,0.5MPa --transparent
                                                          three moments as a figure of a paper

Needs no screen: it starts itself again under xvfb-run where that is installed.
"""
import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

import numpy
import vtk
from matplotlib import colormaps
from PIL import Image
from vtk.util.numpy_support import vtk_to_numpy

import runs
from picture import FIELDS, PRESSURE_MAP, STRESS_MAP, Look, Picture, box_corners

MOST_PIXELS = 8000  # of a side
MOST_SCALE = 1e6  # of displacements
# where the camera stands, seen from the scene's centre; x to the right in `front`
CAMERAS = {
    "front": (0, -1, 0.2),
    "back": (0, 1, 0.2),
    "left": (-1, 0, 0.2),
    "right": (1, 0, 0.2),
    "top": (0, 0, 1),
    "iso": (-0.6, -1, 0.6),
    "auto": None,
}


def largest(data, name):
    """Make array `name` the active scalars; its largest value."""
    array = data.GetArray(name)
    if array is None:
        raise runs.RunError(
            f"a frame has no field '{name}'; the run's output.arrays says which there are, "
            f"as [default, {name}]"
        )
    data.SetActiveScalars(name)
    return float(vtk_to_numpy(array).max(initial=0))


class Frame:
    """One moment of a run, ready to be drawn."""

    def __init__(self, groups, k, factor, field="von_mises_nodal"):
        self.field = field
        self.time = groups["rigid"][k][0]
        self.rigid = runs.read_frame(groups["rigid"][k][1])
        self.contact = runs.read_frame(groups["contact"][k][1])
        self.patches, self.has_faces = self.contact, "pressure" in groups
        if "pressure" in groups:
            self.patches = runs.read_frame(groups["pressure"][k][1])
        self.cables = runs.read_frame(groups["cables"][k][1]) if "cables" in groups else None
        self.soft_names = [name for name in groups if name not in runs.SHARED]
        self.softs = [
            self.warp(runs.read_frame(groups[name][k][1]), factor) for name in self.soft_names
        ]
        data = [s.GetCellData() if FIELDS[field][2] else s.GetPointData() for s in self.softs]
        self.stress = max([largest(d, field) for d in data], default=0)
        self.pressure = largest(self.patches.GetPointData(), "pressure")
        self.points, self.forces = self.point_forces()
        ids = [
            vtk_to_numpy(self.contact.GetCellData().GetArray(name)) for name in ("body_a", "body_b")
        ]
        self.touching = {int(i) for i in numpy.concatenate(ids)}
        self.bodies = self.split()
        # half spaces are drawn as a single square
        self.floors = {body for body, part in self.bodies if part.GetNumberOfCells() == 1}
        self.containers = self.find_containers()

    def point_forces(self):
        """Places [m] and forces [N] of the contacts in points, whose area is zero; they come before
        the patches."""
        data = self.contact.GetCellData()
        count = numpy.count_nonzero(vtk_to_numpy(data.GetArray("area")) == 0)
        if count == 0:
            return numpy.zeros((0, 3)), numpy.zeros((0, 3))
        places = [self.contact.GetCell(i).GetPoints().GetPoint(0) for i in range(count)]
        return numpy.array(places), vtk_to_numpy(data.GetArray("traction"))[:count]

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

    def find_containers(self):
        """Bodies around the middles of two or more others: what is in a bin is to be seen."""
        bounds = {
            body: numpy.array(polygons.GetBounds()).reshape(3, 2)
            for body, polygons in self.bodies
            if body not in self.floors
        }
        middles = numpy.array([b.mean(axis=1) for b in bounds.values()]).reshape(-1, 3)
        return {
            body
            for body, b in bounds.items()
            if ((b[:, 0] < middles) & (middles < b[:, 1])).all(axis=1).sum()
            > 1 + (b[:, 0] < b[:, 1]).all()  # of its own
        }

    def split(self):
        """[(body_id, polygons)] of the rigid bodies."""
        if self.rigid.GetNumberOfCells() == 0:
            return []
        corners, counts = runs.polygons_of(self.rigid)
        ids = vtk_to_numpy(self.rigid.GetCellData().GetArray("body_id"))
        points = vtk_to_numpy(self.rigid.GetPoints().GetData())
        order = numpy.argsort(ids, kind="stable")
        numbers, firsts = numpy.unique(ids[order], return_index=True)
        corners = corners[numpy.argsort(numpy.repeat(ids, counts), kind="stable")]
        ends = numpy.cumsum(numpy.append(0, counts[order]))
        groups, bodies = numpy.split(counts[order], firsts[1:]), []
        for body, sizes, start in zip(numbers, groups, ends[firsts]):
            used, local = numpy.unique(corners[start : start + sizes.sum()], return_inverse=True)
            bodies.append((int(body), runs.polygons(points[used], local, sizes)))
        return bodies

    def corners(self):
        """Bounds of everything but floors, as points."""
        parts = self.softs + [
            polygons for body, polygons in self.bodies if body not in self.floors
        ]
        return numpy.concatenate([box_corners(part.GetBounds()) for part in parts or [self.rigid]])

    def numbers(self):
        """Number of each rigid body by its name, as the file has them."""
        data = self.rigid.GetFieldData()
        names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
        return {
            urllib.parse.unquote(name[len("body.") :]): int(data.GetArray(name).GetValue(0))
            for name in names
            if name.startswith("body.")
        }

    def corners_of(self, name):
        """Bounds of one body, as points."""
        if name in self.soft_names:
            return box_corners(self.softs[self.soft_names.index(name)].GetBounds())
        drawn = dict(self.bodies)
        named = {body: drawn[k] for body, k in self.numbers().items() if k in drawn}
        if name not in named:
            known = ", ".join(self.soft_names + sorted(named))
            raise runs.RunError(f"no body '{name}' in the frames; there are {known}")
        return box_corners(named[name].GetBounds())


# ---- files ---------------------------------------------------------------------------------------


def shared_palette(image):
    """White, the colours of both bars, and the most frequent ones of a picture: steady over all
    frames."""
    bars = [
        colormaps[name](numpy.linspace(low, 1, n))
        for name, low, n in (STRESS_MAP + (72,), PRESSURE_MAP + (48,))
    ]
    bars = (255 * numpy.concatenate(bars)[:, :3]).round().astype(int).ravel().tolist()
    rest = image.quantize(colors=135, method=Image.Quantize.MEDIANCUT, kmeans=1).getpalette()[
        : 3 * 135
    ]
    palette = Image.new("P", (1, 1))
    palette.putpalette([255, 255, 255] + bars + rest)
    return palette


def write_gif(path, pictures, fps):
    images = list(pictures)
    palette = shared_palette(images[len(images) // 2])
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    save(
        images[0],
        path,
        save_all=True,
        append_images=images[1:],
        duration=round(1000 / fps),
        loop=0,
        optimize=False,
    )


def save(image, path, **options):
    try:
        image.save(path, **options)
    except (OSError, ValueError) as error:
        raise runs.RunError(f"cannot write {path}: {error}") from error


def write_mp4(path, pictures, fps):
    program = shutil.which("ffmpeg")
    if not program:
        raise runs.RunError(
            "MP4 needs ffmpeg, which is not installed; a name that ends in .gif needs nothing more"
        )
    process = None
    for picture in pictures:
        if process is None:
            command = [
                program,
                "-loglevel",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgb24",
                "-s",
                "%dx%d" % picture.size,
                "-r",
                f"{fps:g}",
                "-i",
                "-",
                "-pix_fmt",
                "yuv420p",
                "-vf",
                "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                path,
            ]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.stdin.write(picture.tobytes())
        except BrokenPipeError:
            break
    message = process.communicate()[1].decode()
    if process.returncode != 0:
        raise runs.RunError(f"ffmpeg could not write {path}: {message.strip()}")


def frames_in_time(times, fps, speed):
    """Indices of the frames nearest to evenly spaced times."""
    moments = numpy.arange(times[0], times[-1] + 1e-9, speed / fps)
    return [int(numpy.argmin(numpy.abs(times - t))) for t in moments]


def size_of(text):
    try:
        width, height = (int(x) for x in text.lower().split("x"))
        assert 64 <= width <= MOST_PIXELS and 64 <= height <= MOST_PIXELS
    except (ValueError, AssertionError):
        raise argparse.ArgumentTypeError(
            f"'{text}' is no size like 1280x960, of 64 to {MOST_PIXELS} pixels"
        ) from None
    return width, height


def camera_of(text):
    if text in CAMERAS:
        return CAMERAS[text]
    try:
        direction = tuple(float(x) for x in text.split(","))
        assert len(direction) == 3 and any(direction) and all(map(math.isfinite, direction))
    except (ValueError, AssertionError):
        raise argparse.ArgumentTypeError(
            f"'{text}' is neither X,Y,Z nor one of {', '.join(CAMERAS)}"
        ) from None
    return direction


def range_of(text):
    found = re.fullmatch(r"([^,]+),([^,]+?) *([kMG]?)(Pa|J|J/m\^3)?", text.strip())
    try:
        low, high = (float(found[i]) for i in (1, 2))
        assert 0 <= low < high < math.inf and (found[4] or not found[3])
    except (AssertionError, TypeError, ValueError):
        raise argparse.ArgumentTypeError(f"'{text}' is no range from 0 on like 0,0.5MPa") from None
    factor = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[found[3]]
    return factor * low, factor * high


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser._negative_number_matcher = re.compile(r"-[.\d].*")  # values such as -1,0,0.3
    parser.add_argument("run", metavar="RUN_DIR", help="folder of a run")
    parser.add_argument(
        "--time",
        type=float,
        nargs="+",
        metavar="T",
        help="frame nearest to this time [s], several side by side; default: the last",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="default: RUN_DIR/frame.png; of .svg and .pdf words and scales are vectors",
    )
    parser.add_argument(
        "--animation", metavar="FILE", help="all frames as .gif, or .mp4 where ffmpeg is installed"
    )
    parser.add_argument(
        "--fps", type=float, default=20, help="pictures a second of the animation (20)"
    )
    parser.add_argument(
        "--speed", type=float, default=1, help="simulated seconds a second of the animation (1)"
    )
    parser.add_argument(
        "--camera",
        type=camera_of,
        default="auto",
        metavar="C",
        help=f"{', '.join(CAMERAS)}, or the direction X,Y,Z from which to look (auto)",
    )
    parser.add_argument(
        "--zoom", metavar="BODY", help="fill the picture with this body; default: all bodies"
    )
    parser.add_argument(
        "--size", type=size_of, metavar="WxH", help="pixels (1280x960; animations 800x600)"
    )
    parser.add_argument(
        "--field",
        choices=FIELDS,
        default="von_mises_nodal",
        help="what colours soft bodies (von_mises_nodal)",
    )
    parser.add_argument("--scale", type=float, default=1, help="factor on the displacement (1)")
    parser.add_argument(
        "--range",
        type=range_of,
        metavar="LOW,HIGH",
        help="of the field's colours, as 0,0.5MPa or 0,2e5 [Pa, J, J/m^3]; default: all values",
    )
    parser.add_argument(
        "--map", choices=colormaps, default=STRESS_MAP[0], metavar="MAP",
        help=f"of the field, a name of matplotlib ({STRESS_MAP[0]})",
    )
    parser.add_argument("--no-mesh", action="store_true", help="without the lines of cells")
    parser.add_argument("--no-contact", action="store_true", help="without pressure and forces")
    parser.add_argument(
        "--no-title", action="store_true",
        help="without the line of words, pictures cut to what is drawn",
    )
    parser.add_argument("--transparent", action="store_true", help="PNG without a white ground")
    arguments = parser.parse_args()
    if not (0.01 <= arguments.fps <= 100 and 0 < arguments.speed < math.inf):
        parser.error("--fps must be 0.01 to 100, and --speed positive")
    if arguments.transparent and not (arguments.output or ".png").lower().endswith(".png"):
        parser.error("--transparent needs a name that ends in .png")
    if not all(map(math.isfinite, arguments.time or [])):
        parser.error("--time must be finite")
    if not abs(arguments.scale) <= MOST_SCALE:
        parser.error(f"--scale must be {-MOST_SCALE:g} to {MOST_SCALE:g}")
    if arguments.animation and arguments.transparent:
        parser.error("--transparent is for pictures, not for --animation")
    if arguments.animation and os.path.splitext(arguments.animation)[1].lower() not in (
        ".gif",
        ".mp4",
    ):
        parser.error("--animation needs a name that ends in .gif or .mp4")
    return arguments


def need_screen():
    """VTK of Debian draws through X: a virtual screen, since a real one may be remote or lack
    OpenGL."""
    if os.environ.get("SUPPLE_SCREEN") or not shutil.which("xvfb-run"):
        if not os.environ.get("DISPLAY"):
            raise runs.RunError(
                "there is no screen here; install xvfb and xauth (xvfb-run is used then)"
            )
        return
    os.environ["SUPPLE_SCREEN"] = "virtual"
    os.execvp(
        "xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1600x1200x24", sys.executable, *sys.argv]
    )


def picture_of(arguments, size, title, frames):
    """On what is asked for, in all frames."""
    corners = None
    if arguments.zoom:
        corners = numpy.concatenate([frame.corners_of(arguments.zoom) for frame in frames])
    look = Look(
        arguments.range,
        arguments.map,
        not arguments.no_mesh,
        arguments.transparent,
        not arguments.no_contact,
    )
    title = None if arguments.no_title else title
    moduli = runs.load_moduli(arguments.run)
    for frame in frames:  # colours reach beyond round-off
        for name, body in zip(frame.soft_names, frame.softs):
            least = runs.round_off(arguments.field, moduli.get(name, 0), body.GetLength())
            frame.stress = max(frame.stress, least)
    return Picture(arguments.size or size, title, frames, arguments.camera, corners, look)


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
        moments = [times[-1]] if arguments.time is None else arguments.time
        chosen = [int(numpy.argmin(numpy.abs(times - t))) for t in moments]
        frames = [Frame(groups, k, arguments.scale, arguments.field) for k in chosen]
        size = (1280, 960) if len(frames) == 1 else (880, 960)
        picture = picture_of(arguments, size, title, frames)
        path = arguments.output or os.path.join(arguments.run, "frame.png")
        if path.lower().endswith((".svg", ".pdf")):
            runs.save(picture.figure_of_row(frames), path, 160)
        else:
            save(picture.draw_row(frames), path)
        print(path)
    if arguments.animation:
        chosen = frames_in_time(times, arguments.fps, arguments.speed)
        frames = {
            k: Frame(groups, k, arguments.scale, arguments.field) for k in sorted(set(chosen))
        }
        picture = picture_of(arguments, (800, 600), title, list(frames.values()))
        write = write_mp4 if arguments.animation.lower().endswith(".mp4") else write_gif
        write(arguments.animation, (picture.draw(frames[k]) for k in chosen), arguments.fps)
        print(arguments.animation)


if __name__ == "__main__":
    runs.run(main)
