#!/usr/bin/env python3
"""Writes docs/python-api.md from the docstrings of the package.

    PYTHONPATH=build/release/python /usr/bin/python3 tools/python_api.py [--check]

--check: exit code 1 where the page is not what the docstrings say.
"""

import inspect
import sys
from pathlib import Path

import ergon
import ergon.adapters

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python-api.md"


def signature(name, member):
    try:
        text = str(inspect.signature(member))
    except (TypeError, ValueError):
        return name
    return f"{name}{text}".replace("'", "").replace("ergon._", "")


def described(member):
    lines = (inspect.getdoc(member) or "").split("\n")
    code, out = False, []
    for line in lines:
        is_code = line.startswith("    ") or line.startswith(">>> ")
        if is_code != code and (line or not is_code):
            if line or code:
                out.append("```" + ("python" if is_code else ""))
                code = is_code
        out.append(line[4:] if code and line.startswith("    ") else line)
    if code:
        out.append("```")
    return "\n".join(out).strip()


def own_members(kind):
    for name, member in vars(kind).items():
        if name.startswith("_") or not inspect.getdoc(member):
            continue
        if inspect.isfunction(member) or isinstance(member, property):
            yield name, member


def entries(module, names):
    for name in names:
        member = getattr(module, name)
        prefix = module.__name__
        if inspect.isclass(member):
            yield f"## `{prefix}.{name}`\n\n{described(member)}"
            rows = [f"- `{signature(n, m) if inspect.isfunction(m) else n}`: {described(m)}" for n, m in own_members(member)]
            if rows:
                yield "\n".join(rows)
        else:
            yield f"## `{signature(f'{prefix}.{name}', member)}`\n\n{described(member)}"


def page():
    parts = ["# The package `ergon`, call by call", "Made from the docstrings by `tools/python_api.py`; [python.md](python.md) explains how to use it."]
    parts += entries(ergon, ergon.__all__)
    parts += entries(ergon.adapters, ["SolveIvp", "StateSpace", "Table"])
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is not what the docstrings say. Write it anew with tools/python_api.py.")
    else:
        PAGE.write_text(page(), encoding="utf-8")
