"""What a page of the manual says is true.

usage: tests/app/manual.py PAGE .. [--program PROGRAM] [--folder FOLDER] [--no-run]

Commands, scenes and snippets of each page run in FOLDER; links, paths, keys, options and names in
`code` exist; lines and cells are short.  Prints what is wrong and ends with 1 then.

A comment before a block says how it is run:
    <!-- test: set time.end=20ms -->   the runs of the block get these overrides
    <!-- test: check -->               runs get --check
    <!-- test: file finger.yaml -->    the block is written into that file, not run
    <!-- test: needs gmsh -->          not run where this program or module is missing
    <!-- test: not run: REASON -->     its commands, options and files are looked at only
Blocks: sh is run, python is run, yaml is a scene's part whose keys exist, c is compiled, text is
left alone."""
import argparse
import importlib.util
import json
import os
import pickle
import re
import shutil
import subprocess
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOP = (
    "examples",
    "meshes",
    "materials",
    "postproc",
    "tests",
    "src",
    ".ci",
    "Makefile",
    "README.md",
)
MOST_COLUMNS, MOST_TABLE, MOST_IMAGE = 100, 200, 150_000
EXTENSIONS = (
    "yaml",
    "py",
    "h",
    "c",
    "inc",
    "urdf",
    "vtk",
    "md",
    "png",
    "obj",
    "sh",
    "msh",
    "inp",
    "geo",
)
# Files that runs leave or that readers bring, not files of the project.
MADE = re.compile(
    r"(out|build|DIR|IN|OUT|RUN_DIR|level_NN|FAMILY|estimate|vtk|man\d|papers)\b|"
    r"(history|contacts|convergence|estimate)\.csv|.*\.json|resolved\.yaml|paraview\.py|"
    r"(IN|OUT|SCENE|STUDY|NAME)\.\w+|\.\w+$|convergence\.png|.*\.series|contact.*\.vtk"
)


# Runs that show what a page says before their whole time is over [s].
ENDS = {"bar.yaml": 0.3, "examples/own_finger.yaml": 0.2, "gripper.yaml": 0.06}


class Book:
    """What the program knows: commands, options, keys, names."""

    def __init__(self, program):
        self.program = program
        self.options, self.words = {}, set()
        commands, topics = (
            re.findall(r"(?m)^  ([a-z]+) {2,}\S", part)
            for part in self.says("help").split("`supple help TOPIC`")
        )
        self.topics = set(topics)
        pages = [[c] for c in commands if c not in ("mesh", "help", "version")]
        pages += [["mesh", sub] for sub in self.rows("mesh", "--help")]
        self.commands = {" ".join(p) for p in pages} | {"mesh", "help", "version"}
        for page in pages:
            self.options[" ".join(page)] = set(
                re.findall(r"(?<!\w)(--?[a-z][\w-]*)", self.says(*page, "--help"))
            ) | {"--help"}
        self.keys = {}
        for topic in ("scene", "study"):
            keys = json.loads(self.says("help", topic, "--format", "json"))
            self.keys[topic] = {key["path"]: key for key in keys}
            for key in keys:
                if key["value"].startswith("a table over time"):
                    for below in ("rows", "file", "columns", "interpolation"):
                        self.keys[topic][f"{key['path']}.{below}"] = key
                self.words |= set(key["path"].split(".")) | {w["name"] for w in key["words"]}
        self.columns = self.says("help", "columns")
        self.words |= set(re.findall(r"[\w]+", self.columns + self.says("help", "summary")))
        self.targets = set(re.findall(r"(?m)^([a-z0-9-]+):[^=]", self.read("Makefile")))
        self.scripts = set(
            re.findall(
                r"\"(--?[a-z][\w-]*)\"",
                "".join(self.read(p) for p in self.files() if p.endswith(".py")),
            )
        )
        code = "".join(
            self.read(p) for p in self.files() if re.match(r"src/.*\.(c|h|inc)$|Makefile", p)
        )
        self.words |= set(re.findall(r"\w+", " ".join(re.findall(r'"([^"\n]*)"', code))))
        self.words |= set(
            re.findall(
                r"\w+",
                "".join(
                    self.read(p)
                    for p in self.files()
                    if re.match(r"(examples|materials)/.*\.yaml$", p)
                ),
            )
        )
        self.names = {os.path.basename(p) for p in self.files()}
        code += "".join(self.read(p) for p in self.files() if re.match(r"tests/.*\.(c|h|txt)$", p))
        self.identifiers = set(re.findall(r"\w+", code)) | {
            re.sub(r"test_(\w+)\.c", r"\1", name) for name in self.names
        }

    def says(self, *arguments):
        run = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        return run.stdout

    def table(self, topic):
        """The rows of `supple help TOPIC` as a page has them."""
        rows = json.loads(self.says("help", topic, "--format", "json"))
        return "\n".join(
            f"| `{row['name']}` | {'' if row['unit'] == '-' else row['unit']} | {row['meaning']} |"
            for row in rows
        ).replace("|  |", "| |")

    def rows(self, *arguments):
        return re.findall(r"(?m)^  ([a-z]+) {2,}\S", self.says(*arguments))

    @staticmethod
    def read(path):
        with open(os.path.join(ROOT, path), errors="replace") as file:
            return file.read()

    @staticmethod
    def files():
        for top in TOP:
            if os.path.isfile(os.path.join(ROOT, top)):
                yield top
            for folder, _, names in os.walk(os.path.join(ROOT, top)):
                yield from (os.path.relpath(os.path.join(folder, n), ROOT) for n in sorted(names))

    def has_column(self, name):
        """contact.NAME.NAME.fx: the head and the last word of a column."""
        parts = name.split(".")
        return parts[0] == "contact" and len(parts) == 4 and parts[3] in self.words

    def has_key(self, path, topic="scene"):
        """Is it a key, with or without names and numbers of entries?"""
        known = self.keys[topic]
        if path in known:
            return True
        parts = path.split(".")
        return (
            any(".".join(parts[:i] + parts[i + 1 :]) in known for i in range(1, len(parts)))
            or path == parts[0] + "." + parts[-1]
            and parts[0] in known
            and "NAME" in parts[-1]
        )


class Page:
    def __init__(self, path, book, folder):
        self.path, self.book, self.folder, self.errors = path, book, folder, []
        self.near = os.path.dirname(path)
        self.lines = book.read(path).split("\n")
        # Programs that blocks of the page need may be missing on this machine.
        self.needed = set(re.findall(r"<!-- test: needs (\w+)", book.read(path)))

    def wrong(self, number, text):
        self.errors.append(f"{self.path}:{number}: {text}")

    # ---- form ------------------------------------------------------------------------------------

    def check_form(self):
        if self.path == "README.md" and len(self.lines) - 1 > 150:
            self.wrong(len(self.lines) - 1, "more than 150 lines")
        is_code = False
        for n, line in enumerate(self.lines, 1):
            is_code ^= line.startswith("```")
            most = MOST_TABLE if line.startswith("|") else MOST_COLUMNS
            line = re.sub(r"!\[[^]]*\]\([^)]*\)", "", line) if line.startswith("|") else line
            if len(line) > most and not re.match(r"!?\[.*\]\(\S+\)$", line):
                self.wrong(n, f"{len(line)} columns")

    def check_links(self):
        in_code = False
        for n, line in enumerate(self.lines, 1):
            in_code ^= line.startswith("```")
            for target in re.findall(r"\]\(([^)\s]+)\)", "" if in_code else line):
                if target.startswith("http"):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(self.near, path)) if path else self.path
                if not os.path.exists(os.path.join(ROOT, path)):
                    self.wrong(n, f"there is no {path}")
                elif (
                    path.endswith(".png") and os.path.getsize(os.path.join(ROOT, path)) > MOST_IMAGE
                ):
                    self.wrong(n, f"{path} has more than {MOST_IMAGE} bytes")
                elif anchor and anchor not in anchors(self.book.read(path)):
                    self.wrong(n, f"{path} has no heading #{anchor}")

    # ---- words in code ---------------------------------------------------------------------------

    def is_path(self, word):
        places = (ROOT, os.path.join(ROOT, self.near), self.folder, os.path.join(ROOT, "src"))
        return any(os.path.exists(os.path.join(place, word)) for place in places)

    def check_path(self, n, word):
        word = word.rstrip("/")
        if MADE.match(word) or "*" in word or "<" in word or "NAME" in word or "$" in word:
            return
        is_name = "/" not in word and self.near == "src" and word in self.book.names
        if not self.is_path(word) and not is_name:
            self.wrong(n, f"there is no file {word}")

    def check_command(self, n, line):
        """A command line, in a block or in `code`."""
        line = re.sub(r"\s#\s.*", "", line)
        words = line.split()
        tool = words[0]
        if tool == "supple" and len(words) > 1 and words[1].islower() and words[1] != "help":
            name = " ".join(words[1:3]) if words[1] == "mesh" and len(words) > 2 else words[1]
            if name not in self.book.commands:
                self.wrong(n, f"there is no command supple {name}")
            elif name in self.book.options:
                for option in words[2:]:
                    option = option.split("=")[0]
                    if option.startswith("-") and option not in self.book.options[name]:
                        self.wrong(n, f"supple {name} has no option {option}")
            for key in re.findall(r"--set ['\"]?([\w.]+)", line):
                if not self.book.has_key(key):
                    self.wrong(n, f"a scene has no key {key}")
        elif tool == "supple" and len(words) > 3 and words[2] in ("scene", "study"):
            if words[3][0].islower() and not self.book.has_key(words[3].split("]")[0], words[2]):
                self.wrong(n, f"there is no key {words[3]}")
        elif tool == "supple" and len(words) > 2 and words[1] == "help" and words[2].islower():
            if words[2] not in self.book.topics | self.book.commands:
                self.wrong(n, f"there is no help on {words[2]}")
        elif tool == "make" and len(words) > 1:
            for word in words[1:]:
                if word.islower() and word not in self.book.targets:
                    self.wrong(n, f"there is no target {word}")
        elif "postproc/" in line:
            script = re.search(r"postproc/\w+\.py", line)
            if not script or not self.is_path(script[0]):
                self.wrong(n, f"there is no such script: {line}")
        for word in words:
            if re.match(r"(examples|meshes|materials|postproc|tests|src)/", word):
                self.check_path(n, word.strip("'\",;"))

    def check_word(self, n, word):
        book = self.book
        word = word.strip()
        if re.match(r"(supple|make) ", word) or "postproc/" in word and " " in word:
            self.check_command(n, word)
        elif re.match(r"--[a-z]|-[a-z]\b(?!-)", word) and not word.startswith("-f"):
            if not any(
                word.split()[0].split("=")[0] in known
                for known in [*book.options.values(), book.scripts]
            ) and word.split()[0] not in ("-v",):
                self.wrong(n, f"no command has the option {word}")
        elif re.fullmatch(r"[\w.-]+(/[\w.*-]+)+/?", word) or re.fullmatch(
            r"[\w-]+\.(" + "|".join(EXTENSIONS) + ")", word
        ):
            if not re.match(r"[A-Z]+/[A-Z]+$", word):
                self.check_path(n, word)
        elif re.fullmatch(r"[a-z_]+(\.[\w]+)+", word) and not re.search(r"\.c$|\.h$", word):
            topic = (
                "study"
                if word.split(".")[0] in book.keys["study"]
                and word.split(".")[0] not in book.keys["scene"]
                else "scene"
            )
            if word.split(".")[0] in book.keys[topic]:
                if not book.has_key(word, topic) and not book.has_column(word):
                    self.wrong(n, f"a {topic} has no key {word}")
            elif not all(
                part in book.words or part in book.identifiers for part in word.split(".")[1:]
            ):
                self.wrong(n, f"nothing is called {word}")
        elif re.fullmatch(r"[a-z][a-z0-9_]*", word):
            if (
                word not in book.words
                and word not in book.identifiers
                and word not in book.targets
                and word not in self.needed
                and not shutil.which(word)
                and not self.is_path(word)
            ):
                self.wrong(n, f"nothing is called {word}")
        elif re.fullmatch(r"sup_\w+|SUP_\w+", word) and word not in book.identifiers:
            self.wrong(n, f"nothing is called {word}")
        elif re.match(r"(BODY|ROBOT|contact\.A\.|energy\.)[\w.]*$", word):
            for part in word.split(".")[1:]:
                if part.islower() and part not in book.words:
                    self.wrong(n, f"no column is called {word}")

    def check_verdicts(self):
        """The page of the results has a row for each verdict, with the words of its line first."""
        verdicts = [p for p in self.book.files() if re.match(r"src/measure/verdict.*\.c$", p)]
        code = "".join(self.book.read(p) for p in verdicts)
        rules = code.split("rules[] = ")[1].split("};")[0]
        for name in re.findall(r'\{"([a-z_]+)"', rules):
            row = re.search(rf"\n\| ([^|]+) \| `{name}` \|", "\n".join(self.lines))
            if not row:
                self.wrong(1, f"no row for the verdict {name}")
            elif f'"{row[1].split(":")[0]}' not in code and name != "momentum_error":
                self.wrong(1, f"no line begins with the words of {name}: {row[1]}")

    def check_summary(self):
        """The page of the results has the entries of summary.json as the program tells them."""
        text = "\n".join(self.lines)
        wanted = self.book.table("summary")
        if wanted not in text:
            self.wrong(1, f"the table of `supple help summary` is not there, which is:\n{wanted}")

    def check_words(self):
        is_code = False
        for n, line in enumerate(self.lines, 1):
            is_code ^= line.startswith("```")
            if not is_code:
                for word in re.findall(r"`([^`]+)`", line):
                    self.check_word(n, word)

    # ---- blocks ----------------------------------------------------------------------------------

    def blocks(self):
        """(line, language, directives, text) of each block."""
        start, directives = None, []
        for n, line in enumerate(self.lines, 1):
            if start is None and line.startswith("```"):
                start, language = n, line[3:].strip()
            elif start is not None and line.startswith("```"):
                yield start, language, directives, "\n".join(self.lines[start : n - 1]) + "\n"
                start, directives = None, []
            elif start is None:
                said = re.match(r"<!-- test: (.*) -->$", line)
                if said:
                    directives = directives + [said[1]]
                elif line.strip():
                    directives = []

    def check_yaml(self, n, text, topic):
        def walk(value, path):
            if isinstance(value, list):
                for entry in value:
                    if isinstance(entry, dict):
                        walk(entry, path)
            if not isinstance(value, dict) or path in ("cables.path", "chambers.surface"):
                return  # entries {BODY: ..}
            for key, below in value.items():
                known = self.book.keys[topic]
                here = f"{path}.{key}" if path else str(key)
                kind = known[path]["value"] if path in known else ""
                is_named = "names of your choice" in kind or "by name" in kind
                if is_named or path in ("set", "families.set", "cases"):
                    if path not in ("set", "families.set", "cases"):
                        walk_entry(below, path)
                elif here in known:
                    walk(below, here)
                elif path != "ladder" and path != "families.ladder" and "." not in str(key):
                    self.wrong(n, f"a {topic} has no key {here}")

        def walk_entry(below, path):
            if isinstance(below, dict):
                for key, value in below.items():
                    if f"{path}.{key}" in self.book.keys[topic]:
                        walk(value, f"{path}.{key}")
                    elif path not in ("materials",):
                        self.wrong(n, f"a {topic} has no key {path}.{key}")

        try:
            walk(yaml.safe_load(text), "")
        except yaml.YAMLError as error:
            self.wrong(n, f"no YAML: {error}")

    def run(self, n, command, what):
        environment = dict(
            os.environ,
            PATH=os.path.dirname(os.path.abspath(self.book.program)) + ":" + os.environ["PATH"],
            OPENBLAS_NUM_THREADS="1",
        )
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            self.wrong(n, f"{what} ended with {done.returncode}:\n{done.stdout[-3000:]}")

    def run_shell(self, n, directives, text):
        overrides = [w for d in directives if d.startswith("set ") for w in d.split()[1:]]
        extra = "".join(f" --set '{o}'" for o in overrides)
        extra += " --check" if "check" in directives else ""
        text = text.replace("\\\n", " ")
        lines = [re.sub(r"\s+#\s.*", "", line) for line in text.split("\n")]
        lines = [
            line + extra + short(line) + " -q" * ("--check" not in extra)
            if re.match(r"supple (run|static) ", line)
            else line + " --check"
            if re.match("supple converge", line) and extra.endswith("--check")
            else line
            for line in lines
        ]
        self.run(n, ["sh", "-e", "-c", "\n".join(lines)], "the block")

    def compile(self, n, text):
        path = os.path.join(self.folder, "snippet.c")
        with open(path, "w") as file:
            file.write(text)
        self.run(
            n,
            ["gcc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Isrc", path],
            "the compiler",
        )

    def check_block(self, n, language, directives, text):
        needs = [d.split()[1] for d in directives if d.startswith("needs ")]
        is_missing = any(not has(need) for need in needs)
        is_run = not any(d.startswith("not run:") for d in directives) and not is_missing
        files = [d.split()[1] for d in directives if d.startswith("file ")]
        if is_missing:
            print(f"{self.path}:{n}: not run, {', '.join(needs)} is missing")
        if language == "sh":
            for i, line in enumerate(text.replace("\\\n", "  ").split("\n")):
                if line.strip() and not line.startswith(" "):
                    self.check_command(n + 1 + i, line)
        if language == "yaml":
            self.check_yaml(n, text, "study" if re.search(r"(?m)^scene:", text) else "scene")
        if files:
            path = os.path.join(self.folder, files[0])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        elif language == "sh" and is_run:
            self.run_shell(n, directives, text)
        elif language == "python" and is_run:
            self.run(n, [sys.executable, "-c", text], "the snippet")
        elif language == "c":
            self.compile(n, text)
        elif language not in ("sh", "python", "yaml", "c", "text"):
            self.wrong(n, f"a block of the language '{language}'; known: sh, python, yaml, c, text")

    def check_blocks(self):
        for block in list(self.blocks()):
            self.check_block(*block)

    def check(self):
        self.check_form()
        self.check_links()
        if self.path == "postproc/README.md":
            self.check_verdicts()
            self.check_summary()
        self.check_blocks()
        self.check_words()


def has(thing):
    return bool(shutil.which(thing) or importlib.util.find_spec(thing))


def short(line):
    """Override by which a run ends early."""
    end = ENDS.get(line.split()[2], 0)
    return f" --set time.end={end}" if end and "time.end" not in line else ""


def known(program, path):
    """The book, which the first page of a test leaves to the others."""
    if not os.path.isfile(path):
        book = Book(program)
        with open(path, "wb") as file:
            pickle.dump(book, file)
    with open(path, "rb") as file:
        return pickle.load(file)


def anchors(text):
    """GitHub's names of the headings."""
    heads = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def prepare(folder):
    """The project as the reader has it, with folders for results of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree(
        os.path.join(ROOT, "examples"),
        os.path.join(folder, "examples"),
        ignore=shutil.ignore_patterns("*.png"),
    )
    for top in (*(top for top in TOP if top != "examples"), "build"):
        os.symlink(os.path.join(ROOT, top), os.path.join(folder, top))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--program", default="build/release/supple")
    parser.add_argument("--folder", default="build/manual")
    parser.add_argument("--no-run", action="store_true", help="look only")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    prepare(folder)
    book = known(os.path.abspath(options.program), folder + ".book")
    pages = [Page(path, book, folder) for path in options.pages]
    for page in pages:
        if options.no_run:
            page.run = lambda *_: None
        page.check()
        print("\n".join(page.errors) or f"{page.path}: ok")
    return 1 if any(page.errors for page in pages) else 0


if __name__ == "__main__":
    sys.exit(main())
