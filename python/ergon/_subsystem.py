"""Subsystems in Python: what a class declares becomes a plan of calls that the engine makes (python/src/python_subsystem.hpp)."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import pickle
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union


@dataclass(frozen=True)
class Port:
    """An input or output: its unit ("N", "m/s", "" where it is not said), its size, the value of an input that nothing feeds."""

    unit: str = ""
    size: int = 1
    start: float = 0.0
    description: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter of a class, with its default, as scenarios and `set` change it."""

    default: Any
    unit: str = ""
    help: str = ""
    minimum: Optional[float] = None


@dataclass
class Energy:
    """The energy account of a subsystem, in J. `dissipated` and `supplied` are totals since the start and never fall. `received`: work
    through each input since the start; where it is left out, all of it comes through `Subsystem.work_input`, and follows from the others."""

    stored: float
    dissipated: float = 0.0
    supplied: float = 0.0
    kinetic: float = 0.0
    synchronised: Optional[float] = None
    received: Optional[Sequence[float]] = None


Ports = Mapping[str, Union[str, Port]]


class Subsystem:
    """Base class of subsystems in Python.

    Declare `inputs` and `outputs`, names with their units, and write either

    * `step(self, t, h, …)`, which moves the object from t to t + h, and `values(self, …)`, which returns the outputs; or
    * `derivatives(self, …)`, which returns the rates of `states`; the engine integrates them (Runge–Kutta of order 4, `substeps` times per
      communication step). `values` may be left out where the outputs are the states.

    A method gets what it names: `t`, `h`, inputs, states, `x` (all states as an array), `inputs` (all inputs as a tuple). Inputs of one
    number are floats, others arrays.
    Outputs depend at once on the inputs that `values` names. Where `energy(self, …)` returns an `Energy`, the run keeps this subsystem's energy
    balance.

    The state of a class with `step` is saved and restored by copying its attributes. Name those that change in `state` to make that
    cheaper, or write `save_state(self)` and `restore_state(self, saved)`.
    """

    inputs: Ports = {}
    outputs: Ports = {}
    states: Mapping[str, float] = {}
    parameters: Mapping[str, Union[Parameter, float, int, bool, str, Sequence[float]]] = {}
    substeps: int = 1
    state: Sequence[str] = ()
    work_input: Optional[str] = None
    feedthrough: Optional[Mapping[str, Sequence[str]]] = None


_TIME, _STEP, _ALL_STATES, _STATE, _INPUT, _ALL_INPUTS = range(6)


def _ports(given: Ports, what: str) -> List[Tuple[str, Port]]:
    if not isinstance(given, Mapping):
        raise TypeError(f"'{what}' must be a dict of names and units, not {given!r}")
    ports = []
    for name, port in given.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"'{what}': {name!r} is not a name")
        port = Port(unit=port) if isinstance(port, str) else port
        if not isinstance(port, Port):
            raise TypeError(f"'{what}': port '{name}' needs a unit such as \"N\", or an ergon.Port, not {port!r}")
        if int(port.size) < 1:
            raise ValueError(f"'{what}': port '{name}' has size {port.size}; it must be at least 1")
        ports.append((name, port))
    return ports


def _port_dict(name: str, port: Port) -> Dict[str, Any]:
    return {"name": name, "unit": port.unit, "size": int(port.size), "start": float(port.start), "description": port.description,
            "optional": bool(port.optional)}


class _Names:
    """What arguments of methods may be called, and what they are then given."""

    def __init__(self, inputs: Sequence[str], states: Sequence[str]) -> None:
        for name in states:
            if name in inputs:
                raise ValueError(f"'{name}' is the name of a state and of an input")
        self.inputs = list(inputs)
        self.states = list(states)

    def plan(self, owner: Any, name: str, *, step: bool = False) -> Optional[Tuple[Any, List[Tuple[int, int]]]]:
        method = getattr(owner, name, None)
        if method is None:
            return None
        if not callable(method):
            raise TypeError(f"'{name}' is not a method")
        arguments = []
        for parameter in inspect.signature(method).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise TypeError(f"{name}() must name its arguments, one by one: '{parameter}' does not")
            if parameter.name == "t":
                arguments.append((_TIME, 0))
            elif parameter.name == "h" and step:
                arguments.append((_STEP, 0))
            elif parameter.name in self.inputs:
                arguments.append((_INPUT, self.inputs.index(parameter.name)))
            elif parameter.name in self.states:
                arguments.append((_STATE, self.states.index(parameter.name)))
            elif parameter.name == "x" and self.states:
                arguments.append((_ALL_STATES, 0))
            elif parameter.name == "inputs":
                arguments.append((_ALL_INPUTS, 0))
            elif parameter.default is parameter.empty:
                known = ["t"] + (["h"] if step else []) + (["x"] if self.states else []) + self.states + self.inputs + ["inputs"]
                raise TypeError(f"{name}(): '{parameter.name}' is not an argument that it can have. Available: {', '.join(known)}")
        return method, arguments


def _first_values(states: Sequence[str]) -> Callable[..., Tuple[float, ...]]:
    def values(x: Any) -> Tuple[float, ...]:
        return tuple(x)

    return values


_IMMUTABLE = (float, int, bool, str, bytes, type(None), complex, tuple, frozenset)


def _saved_attributes(owner: Any) -> Any:
    attributes = owner.__dict__
    if all(isinstance(v, _IMMUTABLE) for v in attributes.values()):
        return dict(attributes)
    return copy.deepcopy(attributes)


def _state_methods(owner: Any) -> Dict[str, Any]:
    """How the object is saved, restored, written as bytes and read."""
    if hasattr(owner, "save_state") or hasattr(owner, "restore_state"):
        if not (callable(getattr(owner, "save_state", None)) and callable(getattr(owner, "restore_state", None))):
            raise TypeError("save_state(self) and restore_state(self, saved) belong together: one is missing")
        save, restore = owner.save_state, owner.restore_state
    elif owner.state:
        names = tuple(owner.state)

        def save() -> Any:
            return tuple(copy.copy(getattr(owner, name)) for name in names)

        def restore(saved: Any) -> None:
            for name, value in zip(names, saved):
                setattr(owner, name, copy.copy(value))
    else:

        def save() -> Any:
            return _saved_attributes(owner)

        def restore(saved: Any) -> None:
            owner.__dict__.clear()
            owner.__dict__.update(saved if all(isinstance(v, _IMMUTABLE) for v in saved.values()) else copy.deepcopy(saved))

        try:
            save()
        except Exception:  # an open file, a lock: the object can be stepped and not set back
            return {}
    methods: Dict[str, Any] = {"save": save, "restore": restore}
    try:
        pickle.dumps(save())
    except Exception:
        return methods
    methods["serialize"] = pickle.dumps
    methods["deserialize"] = pickle.loads
    return methods


def plan_of(owner: Any) -> Dict[str, Any]:
    """The calls that the engine makes to this object. Raises TypeError or ValueError with what is wrong with its class."""
    inputs = _ports(owner.inputs, "inputs")
    outputs = _ports(owner.outputs, "outputs")
    input_names = [name for name, _ in inputs]
    output_names = [name for name, _ in outputs]
    has_step = callable(getattr(owner, "step", None))
    has_derivatives = callable(getattr(owner, "derivatives", None))
    if has_step == has_derivatives:
        raise TypeError("it needs a method step(self, t, h, …) or derivatives(self, …), and not both")
    states = list(owner.states) if has_derivatives else []
    if has_derivatives and not states:
        raise TypeError("'states' must name the states and their values at the start, such as {\"x\": 0.0, \"v\": 1.0}")
    names = _Names(input_names, states)
    plan: Dict[str, Any] = {
        "kind": f"python {type(owner).__module__}.{type(owner).__qualname__}",
        "inputs": [_port_dict(*port) for port in inputs],
        "outputs": [_port_dict(*port) for port in outputs],
        "follows_inputs": has_derivatives,
        "initialize_method": names.plan(owner, "initialize"),
        "step_method": names.plan(owner, "step", step=True) if has_step else None,
        "derivatives_method": names.plan(owner, "derivatives") if has_derivatives else None,
        "energy_method": names.plan(owner, "energy"),
        "jacobian_method": names.plan(owner, "output_jacobian"),
        "substeps": int(owner.substeps),
        "state_names": states,
        "state_values": [float(owner.states[name]) for name in states],
    }
    if plan["substeps"] < 1:
        raise ValueError(f"'substeps' is {owner.substeps}; it must be at least 1")
    values = names.plan(owner, "values")
    if values is None:
        if output_names != states:
            raise TypeError("it needs a method values(self, …) that returns the outputs" +
                            (", as they are not the states" if states else ""))
        values = (_first_values(states), [(_ALL_STATES, 0)])
    plan["outputs_method"] = values
    arguments = values[1]
    takes_all = any(kind == _ALL_INPUTS for kind, _ in arguments)
    used = list(range(len(inputs))) if takes_all else [number for kind, number in arguments if kind == _INPUT]
    plan["feedthrough"] = _feedthrough(owner, input_names, output_names, used)
    plan["through"] = _work_input(owner, input_names)
    if has_step:
        plan.update(_state_methods(owner))
    return plan


def _feedthrough(owner: Any, inputs: List[str], outputs: List[str], used: List[int]) -> List[Tuple[int, int]]:
    if owner.feedthrough is None:
        return [(o, i) for o in range(len(outputs)) for i in used]
    pairs = []
    for output, sources in owner.feedthrough.items():
        for source in sources:
            if output not in outputs or source not in inputs:
                raise ValueError(f"'feedthrough': '{output}' of '{source}' is not an output and an input")
            pairs.append((outputs.index(output), inputs.index(source)))
    return pairs


def _work_input(owner: Any, inputs: List[str]) -> Optional[int]:
    if owner.work_input is None:
        return 0 if len(inputs) == 1 else None
    if owner.work_input not in inputs:
        raise ValueError(f"'work_input' is '{owner.work_input}', which is not an input. Available: {', '.join(inputs)}")
    return inputs.index(owner.work_input)


def _parameter(name: str, given: Any) -> Dict[str, Any]:
    parameter = given if isinstance(given, Parameter) else Parameter(given)
    default = parameter.default
    if not isinstance(default, (bool, int, float, str)):
        try:
            default = [float(v) for v in default]
        except (TypeError, ValueError):
            raise TypeError(f"parameter '{name}': its default must be a number, a flag, a text or numbers, not {given!r}") from None
    return {"name": name, "unit": parameter.unit, "help": parameter.help, "default": default, "minimum": parameter.minimum,
            "whole": isinstance(default, int) and not isinstance(default, bool)}


def _declared_parameters(make: Any) -> Dict[str, Any]:
    """Those that the class declares, else the arguments of its constructor that have defaults."""
    declared = dict(getattr(make, "parameters", {}) or {})
    if declared:
        return declared
    for parameter in inspect.signature(make).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            raise TypeError(f"argument '{parameter.name}' of the constructor needs a default")
        if isinstance(parameter.default, (bool, int, float, str, list, tuple)):
            declared[parameter.name] = parameter.default
    return declared


def _model(name: str, summary: str, parameters: Dict[str, Any], make: Callable[..., Any]) -> Dict[str, Any]:
    return {"name": name, "summary": summary, "parameters": [_parameter(n, p) for n, p in parameters.items()],
            "plan": lambda values: plan_of(make(**values))}


_registered: Dict[str, Any] = {}


def register_object(owner: Any) -> str:
    """A name under which scenarios of this process find the object; every run gets a copy of it as it is now."""
    pristine = copy.deepcopy(owner)
    name = f"#{len(_registered) + 1}"
    _registered[name] = pristine
    return name


def _find_class(name: str, base_directory: str) -> Any:
    module_name, _, path = name.partition(":")
    if not module_name or not path:
        raise LookupError("this is not \"module:Class\"")
    module = None
    beside = Path(base_directory or ".") / (module_name.replace(".", "/") + ".py")
    if module_name in sys.modules:
        module = sys.modules[module_name]
    elif beside.is_file():
        spec = importlib.util.spec_from_file_location(module_name, beside)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    else:
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name != module_name.partition(".")[0]:
                raise
            raise LookupError(f"there is no module '{module_name}'") from None
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise LookupError(f"module '{module_name}' has no '{path}'")
        found = getattr(found, part)
    return found


def resolve(name: str, base_directory: str) -> Dict[str, Any]:
    """What `python = "…"` of a subsystem names: its parameters, and how an instance is planned."""
    if name in _registered:
        pristine = _registered[name]
        return _model(type(pristine).__name__, inspect.getdoc(type(pristine)) or "", {}, lambda: copy.deepcopy(pristine))
    found = _find_class(name, base_directory)
    if not callable(found):
        raise TypeError(f"'{name}' is not a class")
    return _model(name, (inspect.getdoc(found) or "").partition("\n")[0], _declared_parameters(found), found)
