import math

import ergon
import numpy as np
import pytest
from ergon.adapters import StateSpace, Table


def test_a_right_hand_side_of_scipy():
    pytest.importorskip("scipy")
    from ergon.adapters import SolveIvp

    falling = SolveIvp(lambda t, y, u: [y[1], u[0] - 9.81], [10.0, 0.0], inputs={"lift": "m/s^2"}, outputs={"height": "m", "speed": "m/s"})
    result = ergon.run(ergon.System(stop_time=1, step_size=0.125).add("body", falling), check="off")
    assert np.allclose(result["body.height"], 10.0 - 0.5 * 9.81 * result.time**2, atol=1e-7)


def test_a_state_space_is_stepped_exactly():
    signal = pytest.importorskip("scipy.signal")
    low_pass = StateSpace(signal.TransferFunction([1.0], [0.5, 1.0]), input="u", output="y")
    system = ergon.System(stop_time=2, step_size=0.125)
    system.add("step", Table({"time": [0.0, 10.0], "u": [1.0, 1.0]})).add("filter", low_pass).connect("step.u", "filter.u")
    result = ergon.run(system, check="off")
    # The first step begins with the input at t₀.
    assert np.allclose(result["filter.y"], 1.0 - np.exp(-result.time / 0.5), atol=1e-12)


def test_a_table_of_pandas_is_a_source():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 2.0, 2.0]}, index=[0.0, 1.0, 2.0])
    result = ergon.run(ergon.System(stop_time=3, step_size=0.5).add("table", Table(frame, units={"a": "m"})), check="off")
    assert result["table.a"].tolist() == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert result.unit("table.a") == "m"
    with pytest.raises(ValueError):
        Table({"time": [1.0, 0.0], "a": [0.0, 0.0]})


def test_a_corrector_in_python(oscillator):
    class HalfStepForce(ergon.Corrector):
        """Adds half of the last change of the effort: what a force that is held over the step misses on average."""

        def correct(self, step, state):
            return 0.5 * (step.effort1 - step.effort0)

    ergon.register_corrector("half-change", HalfStepForce)
    settings = {"bond.coupling.feedthrough": "refresh"}
    plain = ergon.run(oscillator, stop_time=1, set=settings)
    corrected = ergon.run(oscillator, stop_time=1, set={**settings, "bond.coupling.correction": {"method": "half-change"}})
    assert abs(corrected.energy.final - corrected.energy.initial) != abs(plain.energy.final - plain.energy.initial)
    assert corrected.bonds["coupling"].corrected and math.isfinite(corrected.bonds["coupling"].correction_energy)
    with pytest.raises(ValueError):
        ergon.register_corrector("half-change", HalfStepForce)
