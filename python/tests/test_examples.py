import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.stem)
def test_examples_run_in_an_empty_folder(example, tmp_path):
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_code_of_the_page_is_python_that_runs(tmp_path):
    """Classes of docs/python.md are defined and coupled as the page says."""
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    classes = [b for b in blocks if b.startswith("class ")]
    assert len(classes) == 3
    script = "import math\nimport ergon\n" + "\n".join(classes) + "\n"
    script += (
        "system = ergon.System(stop_time=1, step_size='1e-3')\n"
        "system.add('hammer', 'oscillator.force_output', parameters={'kc': 100.0}, initial={'v': 10.0}).add('sledge', Sledge())\n"
        "system.add('pendulum', Pendulum())\n"
        "system.bond('spring', a={'effort': 'hammer.force', 'flow': 'hammer.velocity_in', 'displacement': 'hammer.position_in'},\n"
        "            b={'effort': 'sledge.force', 'flow': 'sledge.velocity', 'displacement': 'sledge.position'})\n"
        "result = ergon.run(system, set={'bond.spring.correction': {'method': 'half-change'}})\n"
        "print(result.verdict, result['pendulum.angle'][-1])\n")
    (tmp_path / "page.py").write_text(script)
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="the package of a build with sanitizers is not installed")
def test_the_package_is_installed_by_pip_without_network(tmp_path):
    build = pathlib.Path(os.environ["PYTHONPATH"].split(":")[0]).parent
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
    environment = {**os.environ, "ERGON_BUILD_FOLDER": str(build)}
    environment.pop("PYTHONPATH")
    source = tmp_path / "source"  # pip builds beside setup.py
    source.mkdir()
    for name in ("setup.py", "pyproject.toml"):
        (source / name).write_text((ROOT / name).read_text())
    (source / "python").symlink_to(ROOT / "python")
    subprocess.run([venv / "bin" / "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "--quiet", source], check=True,
                   env=environment)
    script = tmp_path / "own_subsystem.py"
    script.write_text((ROOT / "examples" / "python" / "own_subsystem.py").read_text())
    done = subprocess.run([venv / "bin" / "python", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "sledge" in done.stdout, done.stderr
