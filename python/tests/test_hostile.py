"""No call may crash the interpreter: wrong types, destroyed objects, exceptions everywhere."""

import gc
import pickle
import random
import weakref

import ergon
import pytest
from ergon import _ergon
from python_models import Mass

STRANGE = [None, 0, -1, 1.5, float("nan"), float("inf"), "", "x", "\0", "left.m", b"x", [], [None], {}, {"a": 1}, object(), int, lambda: None,
           2**80, "é" * 1000, ("a", "b"), Exception("x")]


def test_strange_arguments_are_exceptions(oscillator):
    numbers = random.Random(7)
    names = [n for n in dir(_ergon.Simulation) if not n.startswith("__")]
    simulation = _ergon.Simulation(str(oscillator), _ergon.Overrides(), None)
    for _ in range(400):
        name = numbers.choice(names)
        arguments = [numbers.choice(STRANGE) for _ in range(numbers.randrange(3))]
        if name in ("write_to", "run", "keep_checkpoints"):
            continue
        try:
            member = getattr(simulation, name)
            if callable(member):
                member(*arguments)
        except Exception:
            pass
    for function in (_ergon.Simulation, _ergon.register_corrector, _ergon.read_csv, _ergon.load_plugin):
        for _ in range(100):
            try:
                function(*[numbers.choice(STRANGE) for _ in range(numbers.randrange(5))])
            except Exception:
                pass


@pytest.mark.parametrize("method", ["step", "values", "energy", "save_state", "restore_state", "__deepcopy__", "initialize"])
def test_an_exception_anywhere_is_a_message(method):
    def raises(self, *arguments):
        raise ZeroDivisionError("on purpose")

    body = {"save_state": Mass.values, "restore_state": lambda self, saved: None} if "state" in method else {}
    namespace = {"step": "lambda self, h, force: raises(self)", "values": "lambda self: raises(self)", "energy": "lambda self: raises(self)",
                 "initialize": "lambda self: raises(self)"}
    body[method] = eval(namespace[method], {"raises": raises}) if method in namespace else raises
    wrong = type("Wrong", (Mass,), body)
    system = ergon.System(stop_time=0.1, step_size=0.01)
    system.settings("coupling", scheme="implicit", degree=1)
    try:
        system.add("left", "oscillator.force_output", parameters={"kc": 100.0}, initial={"v": 1.0})
        system.add("right", wrong())
        system.bond("c", a={"effort": "left.force", "flow": "left.velocity_in", "displacement": "left.position_in"},
                    b={"effort": "right.force", "flow": "right.velocity", "displacement": "right.position"})
        ergon.run(system)
    except (ergon.RunError, ergon.InputError, ZeroDivisionError, RuntimeError) as error:
        assert "on purpose" in str(error)
    else:
        pytest.fail("no exception")


def test_objects_go_in_any_order(oscillator):
    simulation = ergon.Simulation(oscillator, stop_time=0.05)
    simulation.run(until=0.01)
    saved = simulation.save()
    other = simulation.another()
    reference = weakref.ref(simulation)
    del simulation
    gc.collect()
    assert reference() is None
    del saved
    other.run()
    del other
    gc.collect()


def test_a_subsystem_that_destroys_its_simulation(oscillator):
    holder = {}

    class Destroys(Mass):
        def step(self, h, force):
            holder.clear()
            super().step(h, force)

    holder["simulation"] = ergon.Simulation(ergon.System(stop_time=0.1, step_size=0.01).add("m", Destroys()))
    run = holder["simulation"].run
    run()
    assert not holder


def test_native_objects_cannot_be_pickled(oscillator):
    simulation = ergon.Simulation(oscillator)
    with pytest.raises(TypeError):
        pickle.dumps(simulation._native)


def test_damaged_tables_are_read_or_refused(tmp_path):
    numbers = random.Random(3)
    text = b"time,a,b\n0,1,2\n1,2.5,x\n2,\"q\"\"u\",4\n"
    for _ in range(300):
        damaged = bytearray(text)
        for _ in range(numbers.randrange(1, 6)):
            damaged[numbers.randrange(len(damaged))] = numbers.randrange(256)
        file = tmp_path / "t.csv"
        file.write_bytes(bytes(damaged[: numbers.randrange(len(damaged))]))
        try:
            _ergon.read_csv(str(file), None)
        except UnicodeDecodeError:
            pass
