#!/usr/bin/python3
"""Join the pieces that the ranks of `mpiexec -n N supple ..` wrote to the file of one rank.

NAME_rank0.vtk, NAME_rank1.vtk, .. become NAME.vtk, equal in bytes to what one rank writes: points
and cells get the places that their arrays global_vertex and global_cell say.  Of the folder of a
run all frames are joined, NAME_rank0_0007.vtk .. to NAME_0007.vtk, with their series."""
import argparse
import glob
import json
import os
import re
import sys

import numpy

TYPES = {"double": ">f8", "float": ">f4", "int": ">i4"}
WIDTHS = {"SCALARS": 1, "VECTORS": 3, "TENSORS": 9}
POINT, CELL = "global_vertex", "global_cell"


class PieceError(Exception):
    """What is wrong with a file."""


class Piece:
    """A legacy VTK file 3.0 with an unstructured grid, as Supple writes it."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = file.read()
        self.at = 0
        self.head = [self.line(), self.line(), self.line(), self.line()]
        if self.head[3] != b"DATASET UNSTRUCTURED_GRID":
            raise PieceError(f"{path}: found {self.head[3]!r}, expected an unstructured grid")
        self.is_binary = self.head[2] == b"BINARY"
        self.time = b""
        self.sections = {POINT: {}, CELL: {}}  # name: (kind, type, values)
        self.read()

    def line(self):
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise PieceError(f"{self.path} ends early")
        text = self.data[self.at : end]
        self.at = end + 1
        return text

    def numbers(self, count, kind):
        """So many numbers and the line's end behind them."""
        if self.is_binary:
            found = numpy.frombuffer(self.data, TYPES[kind], count, self.at)
            self.at += found.nbytes + 1
            return found
        rows, left = [], count
        while left > 0:
            rows.append(self.line().split())
            left -= len(rows[-1])
        words = [word for row in rows for word in row]
        return numpy.array(words, dtype=">i4" if kind == "int" else object)

    def read(self):
        words = self.line().split()
        if words[0] == b"FIELD":
            start = self.at
            for _ in range(int(words[2])):
                self.numbers(1, self.line().split()[3].decode())
            self.time = b"FIELD FieldData %d\n" % int(words[2]) + self.data[start : self.at]
            words = self.line().split()
        self.num_points, self.real = int(words[1]), words[2].decode()
        self.x = self.numbers(3 * self.num_points, self.real).reshape(-1, 3)
        words = self.line().split()
        self.num_cells, size = int(words[1]), int(words[2])
        self.cells = self.numbers(size, "int")
        if self.num_cells:
            self.cells = self.cells.reshape(self.num_cells, -1)
        self.line()
        self.types = self.numbers(self.num_cells, "int")
        section = None
        while self.at < len(self.data):
            words = [word.decode() for word in self.line().split()]
            if words[0] in ("POINT_DATA", "CELL_DATA"):
                section, count = (
                    (POINT, self.num_points) if words[0][0] == "P" else (CELL, self.num_cells)
                )
                continue
            width = WIDTHS[words[0]]
            if width == 1:
                self.line()
            values = self.numbers(width * count, words[2]).reshape(-1, width)
            self.sections[section][words[1]] = (words[0], words[2], values)

    def places(self, section):
        if section not in self.sections[section]:
            raise PieceError(f"{self.path} has no array {section}: it is no piece of a rank")
        return self.sections[section][section][2].ravel().astype(int)


def joined(pieces, section, values, total):
    """Rows of all pieces at their places; a point of several pieces is that of the lowest rank."""
    first = values[0]
    out = numpy.empty((total, first.shape[1]), first.dtype)
    for piece, rows in reversed(list(zip(pieces, values))):
        out[piece.places(section)] = rows
    return out


def put(file, values, kind, is_binary, in_line=False):
    if is_binary:
        file.write(values.astype(TYPES[kind], copy=False).tobytes() + b"\n")
        return
    words = [[w if isinstance(w, bytes) else b"%d" % w for w in row] for row in values.tolist()]
    if in_line:
        file.write(b" ".join(w for row in words for w in row) + b"\n")
    else:
        file.write(b"".join(b" ".join(row) + b"\n" for row in words))


def write(pieces, path):
    first = pieces[0]
    points = 1 + max(int(p.places(POINT).max(initial=-1)) for p in pieces)
    cells = 1 + max(int(p.places(CELL).max(initial=-1)) for p in pieces)
    if sum(p.num_cells for p in pieces) != cells:
        raise PieceError(f"{first.path}: of {cells} cells some are missing; is a piece missing?")
    with open(path + ".part", "wb") as file:
        file.write(b"\n".join(first.head) + b"\n" + first.time)
        file.write(b"POINTS %d %s\n" % (points, first.real.encode()))
        put(file, joined(pieces, POINT, [p.x for p in pieces], points), first.real, first.is_binary)
        whole = []
        for p in pieces:
            rows = p.cells.astype(">i4")
            rows[:, 1:] = p.places(POINT)[rows[:, 1:]]
            whole.append(rows)
        rows = joined(pieces, CELL, whole, cells)
        file.write(b"CELLS %d %d\n" % (cells, rows.size))
        put(file, rows, "int", first.is_binary)
        file.write(b"CELL_TYPES %d\n" % cells)
        types = joined(pieces, CELL, [p.types.reshape(-1, 1) for p in pieces], cells)
        put(file, types, "int", first.is_binary)
        for section, total, word in (POINT, points, b"POINT_DATA"), (CELL, cells, b"CELL_DATA"):
            names = [name for name in first.sections[section] if name != section]
            if names:
                file.write(b"%s %d\n" % (word, total))
            for name in names:
                kind, number, _ = first.sections[section][name]
                rows = [p.sections[section][name][2] for p in pieces]
                values = joined(pieces, section, rows, total)
                size = b" 1\nLOOKUP_TABLE default" if kind == "SCALARS" else b""
                file.write(f"{kind} {name} {number}".encode() + size + b"\n")
                put(file, values, number, first.is_binary, number == "int")
    os.replace(path + ".part", path)


def rank_of(path):
    found = re.search(r"_rank(\d+)(_\d+)?\.vtk$", path)
    return int(found.group(1)) if found else 0


def gather(name):
    """NAME.vtk of its pieces; NAME_0007 of NAME_rank0_0007 and on."""
    frame = re.search(r"_\d{4,}$", name)
    stem, number = (name[: frame.start()], frame.group(0)) if frame else (name, "")
    paths = glob.glob(f"{glob.escape(stem)}_rank[0-9]*{number}.vtk")
    if not paths and frame:
        stem, number = name, ""
        paths = glob.glob(f"{glob.escape(stem)}_rank[0-9]*.vtk")
    pattern = re.escape(os.path.basename(stem)) + r"_rank\d+" + number + r"\.vtk"
    paths = sorted((p for p in paths if re.fullmatch(pattern, os.path.basename(p))), key=rank_of)
    if [rank_of(p) for p in paths] != list(range(len(paths))) or not paths:
        raise PieceError(f"{stem}_rank0{number}.vtk and on: found {paths}, expected all ranks")
    write([Piece(path) for path in paths], name + ".vtk")


def series(path):
    """{file: time, as it stands there}"""
    with open(path, encoding="utf-8") as file:
        listed = json.load(file, parse_float=str, parse_int=str)
    return {entry["name"]: entry["time"] for entry in listed["files"]}


def gather_run(folder):
    """All frames of a run and their series; those that one rank wrote, before or since, stay."""
    if os.path.isdir(os.path.join(folder, "vtk")):
        folder = os.path.join(folder, "vtk")
    found = glob.glob(os.path.join(glob.escape(folder), "*_rank0.vtk.series"))
    if not found:
        raise PieceError(f"{folder}: there is no NAME_rank0.vtk.series of ranks")
    for path in sorted(found):
        stem = path[: -len("_rank0.vtk.series")]
        whole = stem + ".vtk.series"
        times = series(whole) if os.path.exists(whole) else {}  # a run that went on on one rank
        for name, time in series(path).items():
            name = name.replace("_rank0_", "_")
            gather(os.path.join(folder, name[: -len(".vtk")]))
            times[name] = time
        rows = sorted(times.items(), key=lambda row: float(row[1]))
        rows = [f'    {{"name": {json.dumps(name)}, "time": {time}}}' for name, time in rows]
        with open(whole, "w", encoding="utf-8") as file:
            file.write('{\n  "file-series-version": "1.0",\n  "files": [\n')
            file.write(",\n".join(rows) + "\n  ]\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("name", help="the file to write: NAME.vtk of NAME_rank0.vtk ..; or the "
                        "folder of a run")
    name = parser.parse_args().name
    try:
        if os.path.isdir(name):
            gather_run(name)
        else:
            gather(name[:-4] if name.endswith(".vtk") else name)
    except (PieceError, OSError) as error:
        sys.exit(f"gather.py: {error}")


if __name__ == "__main__":
    main()
