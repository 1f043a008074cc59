import math

import ergon
import numpy as np
import pytest
from python_models import Fails, Mass, Oscillator

NATIVE = {"parameters": {"m": 1.0, "k": 1000.0}, "initial": {"v": -100.0}}


def pair(right, stop_time=0.2, **keys):
    """The published oscillator with another right half."""
    system = ergon.System(stop_time=stop_time, step_size="1e-3")
    system.add("left", "oscillator.force_output", parameters={"m": 1.0, "k": 10.0, "kc": 100.0}, initial={"v": 100.0})
    system.add("right", right, **keys)
    system.bond("coupling", a={"effort": "left.force", "flow": "left.velocity_in", "displacement": "left.position_in"},
                b={"effort": "right.force", "flow": "right.velocity", "displacement": "right.position"}, feedthrough="refresh")
    return system


def test_a_mass_in_python_has_the_bits_of_the_native_one():
    native = ergon.run(pair("oscillator.mass", **NATIVE))
    python = ergon.run(pair(Mass, parameters={"m": 1.0, "k": 1000.0, "x": 0.0, "v": -100.0}))
    for name in ("left.position", "left.force", "right.position", "right.velocity"):
        assert python[name].tolist() == native[name].tolist(), name
    for column in ("coupling.power", "coupling.interface_energy", "coupling.exchanged_energy"):
        assert python.table("bonds.csv")[column].tolist() == native.table("bonds.csv")[column].tolist(), column
    # Energies: the same at the points, and the balance of the pair closes as the native one does.
    assert python.energy.final == pytest.approx(native.energy.final, rel=1e-9)
    assert python.energy.max_drift == pytest.approx(native.energy.max_drift, rel=1e-6)
    assert python.verdict.value == native.verdict.value


def test_objects_classes_and_names_are_the_same_model():
    by_class = ergon.run(pair(Mass, parameters={"k": 1000.0, "v": -100.0}))
    by_object = ergon.run(pair(Mass(k=1000.0, v=-100.0)))
    by_name = ergon.run(pair("python_models:Mass", parameters={"k": 1000.0, "v": -100.0}))
    assert by_class["right.position"].tolist() == by_object["right.position"].tolist() == by_name["right.position"].tolist()


def test_an_object_is_as_new_in_every_run():
    mass = Mass(k=1000.0, v=-100.0)
    system = pair(mass)
    first, second = ergon.run(system), ergon.run(system)
    assert first["right.position"].tolist() == second["right.position"].tolist()
    assert mass.v == -100.0


def test_derivatives_are_integrated_with_order_4():
    """ẍ = −k x from rest with v = 1: x = sin(√k t)/√k."""

    def error(step_size):
        system = ergon.System(stop_time=1, step_size=step_size)
        system.add("free", Oscillator, parameters={"k": 40.0})
        return abs(ergon.run(system, check="off")["free.position"][-1] - math.sin(math.sqrt(40.0)) / math.sqrt(40.0))

    coarse, fine = error("0.02"), error("0.01")
    assert 3.8 < math.log2(coarse / fine) < 4.2


def test_substeps_divide_the_step():
    class Finer(Oscillator):
        substeps = 2

    def last(model, step_size):
        system = ergon.System(stop_time=1, step_size=step_size)
        system.add("free", model(k=40.0))
        return ergon.run(system, check="off")["free.position"][-1]

    assert last(Finer, "0.02") == pytest.approx(last(Oscillator, "0.01"), abs=1e-12)


def test_implicit_schemes_set_python_back():
    system = pair(Mass, parameters={"k": 1000.0, "v": -100.0})
    system.settings("coupling", scheme="implicit", degree=1)
    native = pair("oscillator.mass", **NATIVE)
    native.settings("coupling", scheme="implicit", degree=1)
    python, reference = ergon.run(system), ergon.run(native)
    assert np.allclose(python["right.position"], reference["right.position"], rtol=1e-9, atol=1e-12)


def test_a_python_subsystem_restores_as_others_do():
    simulation = ergon.Simulation(pair(Mass, parameters={"k": 1000.0, "v": -100.0}))
    simulation.run(until=0.1)
    saved = simulation.save()

    def rest():
        values = []
        while simulation.advance():
            values.append(simulation["right.velocity"])
        return values

    first = rest()
    simulation.restore(saved)
    assert rest() == first


def test_a_failure_names_subsystem_time_and_traceback():
    with pytest.raises(ergon.RunError) as caught:
        ergon.run(pair(Fails(k=1000.0, v=-100.0)))
    assert caught.value.subsystem == "right" and caught.value.time == pytest.approx(0.051, abs=1.1e-3)
    assert "the bearing has seized" in str(caught.value) and "python_models.py" in str(caught.value)
    assert caught.value.result.status == "failed" and len(caught.value.result.time) > 40


def test_what_is_not_a_number_is_found():
    class Lost(Mass):
        def values(self):
            return self.x, math.nan if self.x < -1.0 else self.v

    with pytest.raises(ergon.RunError) as caught:
        ergon.run(pair(Lost(k=1000.0, v=-100.0)))
    assert caught.value.subsystem == "right"


@pytest.mark.parametrize("methods, message", [
    ({"step": None}, "step"),
    ({"values": None}, "values"),
    ({"step": lambda self, h, speed: None}, "'speed' is not an argument"),
    ({"step": lambda self, *rest: None}, "one by one"),
    ({"inputs": {"force": "bananas"}}, "bananas"),
    ({"inputs": ["force"]}, "dict"),
    ({"outputs": {"position": "m", "velocity": 3}}, "unit"),
    ({"work_input": "torque"}, "'torque'"),
])
def test_wrong_classes_are_explained(methods, message):
    wrong = type("Wrong", (Mass,), methods)
    with pytest.raises(ergon.InputError, match=message):
        ergon.run(pair(wrong()))


@pytest.mark.parametrize("returned, message", [
    (1.0, "float"), ((1.0,), "1 values"), (("a", "b"), "where a number belongs"), (None, "NoneType"), ((1.0, 2.0, 3.0), "3 values"),
    ((object(), 1.0), "where a number belongs"), ([[1.0], [2.0]], "where a number belongs"),
])
def test_wrong_values_are_explained(returned, message):
    class Wrong(Mass):
        def values(self):
            return returned

    with pytest.raises((ergon.RunError, ergon.InputError), match=message):
        ergon.run(pair(Wrong()))


def test_vectors_are_arrays():
    class Rotor(ergon.Subsystem):
        inputs = {"push": ergon.Port("N", size=3)}
        outputs = {"place": ergon.Port("m", size=3), "reach": "m"}

        def __init__(self):
            self.place = np.zeros(3)

        def step(self, h, push):
            self.place = self.place + h * (push + [1.0, 2.0, 3.0])

        def values(self):
            return self.place, float(np.linalg.norm(self.place))

    result = ergon.run(ergon.System(stop_time=1, step_size=0.25).add("rotor", Rotor()), check="off")
    assert result["rotor.place[2]"].tolist() == [0.0, 0.75, 1.5, 2.25, 3.0]
    assert result["rotor.reach"][-1] == pytest.approx(math.sqrt(14.0))


def test_a_system_is_a_scenario_file(tmp_path):
    system = pair("python_models:Mass", parameters={"k": 1000.0, "v": -100.0})
    file = system.write(tmp_path / "pair.toml")
    assert ergon.run(file)["right.position"].tolist() == ergon.run(system)["right.position"].tolist()
    with pytest.raises(ValueError, match="object of this process"):
        pair(Mass()).write(tmp_path / "no.toml")
    assert not (tmp_path / "no.toml").exists()


def test_a_module_beside_the_scenario_is_found(tmp_path):
    (tmp_path / "beside_it.py").write_text(
        "import ergon\nclass Ramp(ergon.Subsystem):\n    outputs = {'y': 'm'}\n    slope = 1.0\n    def __init__(self, slope=2.0): self.slope = slope\n"
        "    def step(self, t): pass\n    def values(self, t): return self.slope * t\n")
    scenario = tmp_path / "ramp.toml"
    scenario.write_text("[simulation]\nstop_time = 1\nstep_size = 0.5\n[[subsystem]]\nname = 'r'\npython = 'beside_it:Ramp'\nparameters = { slope = 4.0 }\n")
    assert ergon.run(scenario, check="off")["r.y"].tolist() == [0.0, 2.0, 4.0]
    scenario.write_text(scenario.read_text().replace("beside_it:Ramp", "beside_it:Slope"))
    with pytest.raises(ergon.InputError, match="ramp.toml:6.*has no 'Slope'"):
        ergon.run(scenario)


def test_received_work_is_that_of_the_force():
    """∫ F v dt of what was recorded; much of it is dissipated, so that its sign in the balance shows."""

    class Sledge(ergon.Subsystem):
        inputs = {"force": "N"}
        outputs = {"position": "m", "velocity": "m/s"}

        def __init__(self, m=2.0, d=20.0):
            self.m, self.d = m, d
            self.x = self.v = self.dissipated = 0.0

        def step(self, h, force):
            self.v += h * (force - self.d * self.v) / self.m
            self.x += h * self.v
            self.dissipated += h * self.d * self.v**2

        def values(self):
            return self.x, self.v

        def energy(self):
            return ergon.Energy(stored=0.5 * self.m * self.v**2, dissipated=self.dissipated)

    system = pair(Sledge(), stop_time=0.5)
    result = ergon.run(system, check="off", step_size="1e-4")
    force, velocity = result["left.force"], result["right.velocity"]
    work = np.concatenate(([0.0], np.cumsum(0.5 * (force[1:] * velocity[1:] + force[:-1] * velocity[:-1]) * np.diff(result.time))))
    energy = result.table("energy.csv")
    expected = np.interp(energy["time"], result.time, work)
    assert np.max(energy["right.dissipated"]) > 0.3 * np.max(np.abs(work))
    assert np.max(np.abs(energy["right.received"] - expected)) < 0.01 * np.max(np.abs(work))
