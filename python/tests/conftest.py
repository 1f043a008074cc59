import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))

OSCILLATOR = ROOT / "benchmarks" / "lim-oscillator" / "f-s.toml"


@pytest.fixture
def oscillator():
    return OSCILLATOR
