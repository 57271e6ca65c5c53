"""Scenes by objects: every section and key that the program reads, from its own table."""
import copy
import json
import os
import tempfile

import numpy as np

from .library import KEYS, InputError

_SECTIONS = [path for path in KEYS if "." not in path]
_VTK_CELLS = {4: 10, 5: 14, 6: 13, 8: 12, 10: 24}


class Mesh:
    """Mesh of arrays, a value of `mesh` in a scene.

    points: [n x 3] [m].  cells: [m x corners] vertices in VTK's order, corners 4, 5, 6, 8 or 10 of
    tetrahedra, pyramids, wedges, hexahedra, quadratic tetrahedra."""

    def __init__(self, points, cells):
        if np.iscomplexobj(points):
            raise TypeError("points of a mesh are real numbers, not complex ones")
        self.points, self.cells = np.array(points, dtype=float), np.array(cells)
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise InputError(1, f"points of a mesh are [n x 3], not {self.points.shape}")
        if self.cells.ndim != 2 or self.cells.shape[1] not in _VTK_CELLS:
            raise InputError(1, f"cells of a mesh are [m x 4, 5, 6, 8 or 10], not "
                                f"{self.cells.shape}")
        if not np.issubdtype(self.cells.dtype, np.integer):
            raise TypeError(f"cells of a mesh are integers, not {self.cells.dtype}")
        outside = self.cells.size and (self.cells.min() < 0 or self.cells.max() >= len(self.points))
        if outside or not np.isfinite(self.points).all():
            raise InputError(1, f"a mesh of {len(self.points)} points has cells with other ones, "
                                "or a point that is not finite")

    def __deepcopy__(self, memo):
        return self

    def save(self, path: str) -> None:
        """Write the mesh as a legacy VTK file."""
        count, corners = self.cells.shape
        with open(path, "w") as file:
            file.write("# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                       f"POINTS {len(self.points)} double\n")
            file.writelines(f"{x!r} {y!r} {z!r}\n" for x, y, z in self.points.tolist())
            file.write(f"CELLS {count} {count * (corners + 1)}\n")
            file.writelines(f"{corners} {' '.join(map(str, cell))}\n" for cell in
                            self.cells.tolist())
            file.write(f"CELL_TYPES {count}\n" + f"{_VTK_CELLS[corners]}\n" * count)


class Scene:
    """A scene in the making; `model()`, `simulator()` or `supple.load` read it.

        scene = supple.Scene(time={"step": "5 ms", "end": "1 s"})
        scene.material("rubber", youngs_modulus="1 MPa", poissons_ratio=0.45, density=1100)
        scene.soft("cube", mesh=supple.Mesh(points, cells), material="rubber")
        scene.robot("arm", urdf="arm.urdf")
        scene.contact(defaults={"friction": 0.5})

    A method for each section of `supple help scene`: those with things by names take the name first
    and may be called in the singular.  Keys are those of the program, which checks them, with
    values, defaults and meanings in their docstrings and, of all depths, in supple.KEYS; values are
    numbers (SI), texts with units ("5 mm"), lists, dicts, arrays, meshes.  Files are relative to
    the working folder."""

    def __init__(self, keys: dict = None, **sections):
        self.keys = copy.deepcopy({"supple": 1, **(keys or {}), **sections})
        self._folder = None
        for key in self.keys:
            if key not in _SECTIONS:
                raise InputError(1, f"a scene has no section '{key}'; known: "
                                    f"{', '.join(_SECTIONS)}")

    def to_yaml(self) -> str:
        """The scene as a scene file, a line for each thing; meshes are files in a temporary folder
        that lives as long as the scene."""
        lines = []
        for section, value in self.keys.items():
            if isinstance(value, dict) and value:
                lines += [f"{section}:"] + [f"  {json.dumps(str(key))}: {self._text(entry)}"
                                            for key, entry in value.items()]
            else:
                lines.append(f"{section}: {self._text(value)}")
        return "\n".join(lines) + "\n"

    def __getstate__(self):
        return {"keys": self.keys, "_folder": None}

    def save(self, path: str) -> None:
        """Write the scene file; its meshes stay in the temporary folder."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_yaml())

    def model(self, **sets):
        """The constant model (`supple.Model`), keys set as of `Model`."""
        from .simulator import Model
        return Model(self, **sets)

    def simulator(self, **sets):
        """A simulation at time 0."""
        return self.model(**sets).simulator()

    def _text(self, value):
        return json.dumps(value, default=self._plain, ensure_ascii=False)

    def text_of(self, value):
        """A value as YAML; texts as they are."""
        return value if isinstance(value, str) else self._text(value)

    def _plain(self, value):
        if isinstance(value, Mesh):
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="supple-mesh-")
            path = os.path.join(self._folder.name, f"{id(value):x}.vtk")
            value.save(path)
            return {"file": path}
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        return plain(value)


def plain(value):
    """An array or a number of numpy as what a text has of it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a value of a scene's key is a number, text, list, dict, array or mesh, not "
                    f"{type(value).__name__}")


def _method(section, key):
    def add(self, name: str, **keys) -> Scene:
        if not isinstance(name, str):
            raise TypeError(f"a name is a str, not {type(name).__name__}")
        things = self.keys.setdefault(section, {})
        if not isinstance(things, dict):
            raise InputError(1, f"{section} is a {type(things).__name__} already: '{name}' has no "
                                "place there")
        if name in things:
            raise InputError(1, f"{section} has '{name}' already")
        things[name] = keys
        return self

    def put(self, value=None, **keys) -> Scene:
        if keys and not isinstance(value, (dict, type(None))):
            raise TypeError(f"{section}: keys beside a {type(value).__name__}")
        new = {**value, **keys} if isinstance(value, dict) else keys if value is None else value
        if isinstance(new, dict) and isinstance(self.keys.get(section), dict):
            self.keys[section].update(new)
        else:
            self.keys[section] = new
        return self

    method = add if key.has_names else put
    below = (f"    {path[len(section) + 1:]}: {of.meaning}  {of.value}"
             f"{of.default and '; default: '}{of.default}" for path, of in KEYS.items()
             if path.startswith(section + ".") and path.count(".") == 1)
    method.__doc__ = "\n".join([f"{key.meaning}  For instance: {key.example}", "", *below])
    return method


for _section in _SECTIONS:
    _end = -1 if KEYS[_section].has_names and _section[-1] == "s" else None
    for _spelling in {_section, _section[:_end]}:
        setattr(Scene, _spelling, _method(_section, KEYS[_section]))
        getattr(Scene, _spelling).__name__ = _spelling
