"""What the scripts of this folder share: the files of a run's folder (postproc/README.md)."""
import csv
import functools
import json
import math
import os
import re
import sys
from xml.etree import ElementTree

import numpy
import yaml
from matplotlib.ticker import FixedFormatter


SHARED = ("rigid", "contact", "pressure", "fields", "cables")  # series of all bodies together


ROUND_OFF_STRAIN = 1e-10  # positions of 1e-16 of a kilometre over cells of a millimetre


class RunError(Exception):
    """Something a person can mend: which file, what is wrong with it."""


def load_json(path):
    """A file that a run may extend at its end: one call reads it as it is before or after."""
    try:
        with open(path, "rb", buffering=0) as file:
            return json.loads(file.read(os.fstat(file.fileno()).st_size + 4096))
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise RunError(f"{path}: {error}") from error


def text_of(path):
    """A file's text; nothing where it is not there."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


PREFIXES = ((1e-9, "G"), (1e-6, "M"), (1e-3, "k"), (1, ""), (1e3, "m"), (1e6, "µ"), (1e9, "n"))


def load_study(folder, about, rows):
    """JSON file and rows of a CSV file of a study, as dictionaries by the heading."""
    path = os.path.join(folder, rows)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return load_json(os.path.join(folder, about)), list(csv.DictReader(file))
    except OSError as error:
        raise RunError(f"cannot read {path}: {error}") from error


FIELD_UNITS = {"displacement": "m", "velocity": "m/s", "contact_force": "N", "stress_error": "J"}


def unit_of_field(field):
    """Unit of a field of soft bodies (postproc/README.md)."""
    if field in FIELD_UNITS:
        return FIELD_UNITS[field]
    if "stress" in field or "mises" in field or "pressure" in field:
        return "Pa"
    return "J/m³" if field == "strain_energy_density" else "-"


def readable(unit, top):
    """Factor and name of the unit, with a prefix, in which a largest number of it reads well."""
    factor, prefix = next((pair for pair in PREFIXES if top * pair[0] >= 0.5), PREFIXES[-1])
    is_plain = not re.fullmatch("m|m/s|s|Pa|N|N m|N s|J|W|Hz", unit) or not top > 0
    if is_plain or (unit in ("m", "m/s", "s") and factor < 1):  # no kilometres
        return 1, unit
    return factor, prefix + unit


def use_prefix(axis):
    """Ticks of an axis whose label ends in a plain [m], [Pa], [N] .. in mm, MPa, mN .., by the
    largest number that it shows.  Ticks with words stay."""
    label = axis.get_label_text()
    match = re.search(r"\[([^]]*)\]$", label)
    if not match or isinstance(axis.get_major_formatter(), FixedFormatter):
        return
    factor, unit = readable(match.group(1), numpy.abs(axis.get_view_interval()).max())
    if factor != 1:
        axis.set_major_formatter(lambda x, _: f"{x * factor:.6g}")
        axis.set_label_text(f"{label[: match.start()]}[{unit}]")


def save(figure, path, dpi):
    """A figure, with prefixes of units where they help, as its name's ending says: .png, .pdf or
    .svg."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            use_prefix(axis)
    try:
        figure.savefig(path, dpi=dpi)
    except (OSError, ValueError) as error:
        raise RunError(f"cannot write {path}: {error}") from error


def title_of(folder):
    """Title of the run, or its folder's name when it has not finished."""
    path = os.path.join(folder, "summary.json")
    name = os.path.basename(os.path.abspath(folder))
    return load_json(path).get("title") or name if os.path.exists(path) else name


def body_names(folder):
    """Names of bodies in the order of the ids in VTK files; empty before the run has finished."""
    path = os.path.join(folder, "summary.json")
    return load_json(path).get("bodies", []) if os.path.exists(path) else []


def is_static(folder):
    """Whether this is the result of `supple static`."""
    path = os.path.join(folder, "manifest.json")
    return os.path.exists(path) and (load_json(path).get("command") or [""])[0] == "static"


def read_hdf5(path):
    """BODY_NNNN.h5 on the cells of BODY_mesh.h5 as a VTK data set."""
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray

    try:
        import h5py
    except ImportError as error:
        raise RunError(f"{path}: frames in HDF5 need python3-h5py: {error}") from error

    data, cells = vtk.vtkUnstructuredGrid(), vtk.vtkCellArray()
    mesh_path = re.sub(r"_\d+\.h5$", "_mesh.h5", path)
    try:
        with h5py.File(mesh_path, "r") as mesh, h5py.File(path, "r") as frame:
            corners = mesh["cells"][()]
            points = vtk.vtkPoints()
            points.SetData(numpy_to_vtk(mesh["points"][()], deep=True))
            for file in frame, mesh:
                for group, to in (("point", data.GetPointData()), ("cell", data.GetCellData())):
                    for name, values in file.get(group, {}).items():
                        array = numpy_to_vtk(values[()], deep=True)
                        array.SetName(name)
                        to.AddArray(array)
    except (OSError, KeyError) as error:
        raise RunError(f"{path}: {error}") from error
    width = corners.shape[1]
    rows = numpy.insert(corners.astype(numpy.int64), 0, width, axis=1)
    cells.SetCells(len(rows), numpy_to_vtkIdTypeArray(rows.ravel(), deep=True))
    data.SetPoints(points)
    kinds = {4: vtk.VTK_TETRA, 8: vtk.VTK_HEXAHEDRON, 10: vtk.VTK_QUADRATIC_TETRA}
    data.SetCells(kinds[width], cells)
    return data


def surface_of(data):
    """Points and polygons as what VTK's filters of surfaces take; volumes as they are."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    if not data.IsA("vtkUnstructuredGrid"):
        return data  # frames of older versions
    if data.GetNumberOfCells() and vtk_to_numpy(data.GetCellTypesArray()).max() > vtk.VTK_QUAD:
        return data
    if data.GetNumberOfCells() == 0:  # the filter would lose the arrays
        surface = vtk.vtkPolyData()
        surface.SetPoints(data.GetPoints())
        for part in "GetPointData", "GetCellData", "GetFieldData":
            getattr(surface, part)().ShallowCopy(getattr(data, part)())
        return surface
    vtk.vtkSMPTools.Initialize(1)  # polygons in the file's order: several threads mix them
    surface = vtk.vtkGeometryFilter()
    surface.SetInputData(data)
    surface.Update()
    return surface.GetOutput()


def polygons_of(surface):
    """Corners of the polygons one after another, and how many each has."""
    from vtk.util.numpy_support import vtk_to_numpy

    cells = surface.GetPolys()
    starts = vtk_to_numpy(cells.GetOffsetsArray())
    return vtk_to_numpy(cells.GetConnectivityArray()), numpy.diff(starts)


def polygons(points, corners, counts):
    """Surface of polygons whose corners come one after another."""
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray

    places, cells, surface = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkPolyData()
    places.SetData(numpy_to_vtk(points, deep=True))
    starts = numpy.cumsum(numpy.append(0, counts))
    arrays = (a.astype(numpy.int64) for a in (starts, corners))
    cells.SetData(*(numpy_to_vtkIdTypeArray(a, deep=True) for a in arrays))
    surface.SetPoints(places)
    surface.SetPolys(cells)
    return surface


def read_frame(path):
    """One file of a run's vtk/ as a VTK data set with all its arrays."""
    import vtk  # half a second that scripts of tables need not wait

    if path.endswith(".h5"):
        return read_hdf5(path)
    vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)
    faults = vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(faults)
    reader = vtk.vtkGenericDataObjectReader()
    for switch in ("Scalars", "Vectors", "Tensors", "Fields"):
        getattr(reader, f"ReadAll{switch}On")()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    if faults.GetOutput() or not isinstance(data, vtk.vtkPointSet) or data.GetPoints() is None:
        missing = "is cut short or damaged" if os.path.exists(path) else "is missing"
        raise RunError(f"VTK cannot read {path}: the file {missing}")
    return surface_of(data)


def load_list(path):
    """Frames of a .vtk.series or .xdmf: [(time, path), ...]."""
    here = os.path.dirname(path)
    if path.endswith(".series"):
        return [(e["time"], os.path.join(here, e["name"])) for e in load_json(path)["files"]]
    try:
        grids = ElementTree.parse(path).findall("Domain/Grid/Grid")
    except (OSError, ElementTree.ParseError) as error:
        raise RunError(f"{path}: {error}") from error
    frames = []
    for grid in grids:
        files = {item.text.split(":")[0] for item in grid.iter("DataItem")}
        frame = next((f for f in files if not f.endswith("_mesh.h5")), None)
        if frame is None:
            raise RunError(f"{path}: a frame has no arrays of its own")
        frames.append((float(grid.find("Time").get("Value")), os.path.join(here, frame)))
    return frames


def has_frames(folder):
    try:
        return bool(load_series(folder))
    except RunError:
        return False


def load_series(folder):
    """Groups of frames of a run: {name: [(time, path), ...]} of the .vtk.series and .xdmf files,
    equally long."""
    vtk = os.path.join(folder, "vtk")
    groups = {}
    for name in sorted(os.listdir(vtk) if os.path.isdir(vtk) else []):
        if name.endswith((".vtk.series", ".xdmf")):
            stem = re.sub(r"\.(vtk\.series|xdmf)$", "", name)
            groups[stem] = load_list(os.path.join(vtk, name))
    if not groups:
        is_run = os.path.exists(os.path.join(folder, "manifest.json"))
        reason = ("'output.format: none' writes none, --set output.format=binary does" if is_run
                  else "is it the folder of a run?")
        raise RunError(f"{folder} holds no frames, vtk/*.vtk.series; {reason}")
    shortest = min(len(entries) for entries in groups.values())  # a run may be going on
    if shortest == 0:
        raise RunError(f"{folder} holds no frames yet")
    return {name: entries[:shortest] for name, entries in groups.items()}


def read_history(folder, start=0):
    """Rows of history.csv behind a byte of the file as {column: array}, empty fields as NaN, and
    the byte of their end."""
    path = os.path.join(folder, "history.csv")
    try:
        with open(path, "rb") as file:
            names = next(csv.reader([file.readline().decode()]), [])
            start = file.seek(max(start, file.tell()))
            text = file.read()
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    text = text[: text.rfind(b"\n") + 1]  # a row may be cut short
    rows = [row for row in csv.reader(text.decode().splitlines()) if len(row) == len(names)]
    values = numpy.array([[float(x) if x else math.nan for x in row] for row in rows])
    values = values.reshape(-1, len(names))
    return {name: values[:, i] for i, name in enumerate(names)}, start + len(text)


def load_history(folder):
    """history.csv as {column: array}; empty fields are NaN."""
    history, _ = read_history(folder)
    if not len(next(iter(history.values()), [])):
        raise RunError(f"{os.path.join(folder, 'history.csv')} holds no rows yet")
    return history


def load_scene(folder):
    """resolved.yaml; nothing when it is not there."""
    path = os.path.join(folder, "resolved.yaml")
    if not os.path.exists(path):
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.safe_load(file) or {}
    except (OSError, yaml.YAMLError) as error:
        raise RunError(f"cannot read {path}: {error}") from error


def driven_bodies(folder):
    """Rigid bodies on a prescribed motion."""
    rigid = load_scene(folder).get("rigid") or {}
    return {name for name, body in rigid.items() if "motion" in body}


@functools.lru_cache
def load_moduli(folder):
    """{soft body: least Young's modulus of its materials [Pa]}"""
    scene = load_scene(folder)

    def least(entry):
        entry = (scene.get("materials") or {}).get(entry) if isinstance(entry, str) else entry
        if not isinstance(entry, dict):
            return 0
        return entry.get("youngs_modulus") or min(map(least, entry.values()), default=0)

    return {name: least(body.get("material")) for name, body in (scene.get("soft") or {}).items()}


def round_off(field, modulus, size):
    """Values of a field of soft bodies below which nothing is but round-off of positions.
    @param size  of the body [m]"""
    unit = unit_of_field(field)
    if "contact" in field or unit not in ("Pa", "J/m³", "J"):
        return 0
    strain = ROUND_OFF_STRAIN
    return modulus * (strain if unit == "Pa" else strain**2 * (size**3 if unit == "J" else 1))


def run(main):
    """Call main; what a person can mend is one line on stderr and exit code 1."""
    try:
        main()
    except RunError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
