"""Builds the Python package by CMake. ERGON_BUILD_FOLDER names a folder where it is built already."""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


def build() -> Path:
    given = os.environ.get("ERGON_BUILD_FOLDER")
    if given:
        return Path(given)
    folder = ROOT / "build" / "python"
    subprocess.run(["cmake", "--preset", "release", "-B", str(folder), "-DERGON_TESTS=OFF", "-DERGON_BENCH=OFF",
                    f"-DPython3_EXECUTABLE={sys.executable}"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(folder), "--parallel", "--target", "ergon_python"], cwd=ROOT, check=True)
    return folder


class BuildPackage(build_py):
    def run(self) -> None:
        subprocess.run(["cmake", "--install", str(build()), "--component", "python", "--prefix", os.path.abspath(self.build_lib)], check=True)


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildPackage}, distclass=BinaryDistribution, packages=["ergon"], package_dir={"ergon": "python/ergon"})
