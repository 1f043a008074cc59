"""`python3 -m ergon …`: the command, with corrections that are written in Python.

    python3 -m ergon bench --with my_correction:Damping linear-oscillator
"""

import importlib
import sys
from typing import List

from . import _ergon
from ._correctors import register_corrector


def main(arguments: List[str]) -> int:
    taken: List[str] = []
    following = iter(arguments)
    for argument in following:
        value = argument.partition("=")[2] if argument.startswith("--with=") else None
        if argument == "--with":
            value = next(following, "")
        if value is not None and ":" in value:
            module, _, name = value.partition(":")
            sys.path.insert(0, "")
            corrector = getattr(importlib.import_module(module), name)
            method = getattr(corrector, "name", name.lower())
            register_corrector(method, corrector)
            taken += ["--with", method]
        else:
            taken += [argument] if argument != "--with" else ["--with", value or ""]
    return int(_ergon.command(taken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
