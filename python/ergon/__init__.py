"""Ergon: couple FMUs, built-in models and models in Python, and see how accurate the coupled result is.

    >>> import ergon
    >>> result = ergon.run("first.toml", set={"load.m": 0.1}, accuracy="1 %")
    >>> result.verdict, result["load.position"]

See docs/python.md.
"""

from ._ergon import InputError
from ._errors import RunError
from ._result import BondResult, EnergyTotals, Result, VariableError, Verdict, VerdictReason
from ._run import Simulation, compare, models, resume, run, version
from ._study import Convergence, Sweep, converge, sweep
from ._subsystem import Energy, Parameter, Port, Subsystem
from ._system import System
from ._correctors import BondStep, Corrector, register_corrector

__all__ = [
    "BondResult", "BondStep", "Convergence", "Corrector", "Energy", "EnergyTotals", "InputError", "Parameter", "Port", "Result", "RunError",
    "Simulation", "Subsystem", "Sweep", "System", "VariableError", "Verdict", "VerdictReason", "compare", "converge", "models",
    "register_corrector", "resume", "run", "sweep", "version",
]
__version__ = version()
