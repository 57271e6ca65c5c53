"""The Python package with the library that `make` built: pip install --no-build-isolation ."""
import os
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

BUILD = os.environ.get("SUPPLE_BUILD", "build/release")


class BuildWithLibrary(build_py):
    """Package, shared library and materials in one folder."""

    def run(self):
        super().run()
        library = os.path.join(BUILD, "lib", "libsupple.so.0")
        if not os.path.exists(library):
            raise SystemExit(f"{library} is missing: run `make` first, or name its folder in "
                             "SUPPLE_BUILD")
        folder = os.path.join(self.build_lib, "supple")
        shutil.copy(library, folder)
        shutil.copytree("materials", os.path.join(folder, "materials"), dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.p*", "*.md"))


class WithLibrary(Distribution):
    """Files that belong to a platform."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For this platform and any Python 3: ctypes needs no headers of it."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


with open("Makefile") as file:
    version = re.search(r"^VERSION\s*:?=\s*(\S+)", file.read(), re.M).group(1)
setup(name="supple", version=version, description="Soft bodies and articulated robots in contact",
      python_requires=">=3.9", install_requires=["numpy"], distclass=WithLibrary,
      packages=["supple"], package_dir={"": "postproc"}, package_data={"supple": ["py.typed"]},
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": Wheel})
