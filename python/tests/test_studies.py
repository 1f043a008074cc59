import ergon
import pytest


def test_a_sweep_is_a_table(oscillator):
    sweep = ergon.sweep(oscillator, {"right.m": [0.5, 1.0], "right.k": "lin(500,1000,3)"}, measures={"last": "value(right.position, t=0.05)"},
                        set={"simulation.stop_time": 0.05})
    assert len(sweep) == 6
    single = ergon.run(oscillator, set={"simulation.stop_time": 0.05, "right.m": 1.0, "right.k": 500.0})
    rows = [i for i in range(6) if sweep["right.m"][i] == 1.0 and sweep["right.k"][i] == 500.0]
    assert [float(sweep["last"][i]) for i in rows] == [pytest.approx(single["right.position"][-1], rel=1e-12)]
    assert sweep.to_pandas().shape[0] == 6


def test_orders_of_convergence(oscillator):
    """Two masses by semi-implicit Euler with a force of the same instant are one leapfrog, of order 2 from a start without forces; a force that is
    late by a step makes it order 1."""
    for feedthrough, order in (("refresh", 2.0), ("stale", 1.0)):
        found = ergon.converge(oscillator, levels=5, set={"simulation.stop_time": 0.5, "bond.coupling.feedthrough": feedthrough}, step_size="5e-4")
        assert found.orders["right.position"] == pytest.approx(order, abs=0.15), feedthrough


def test_wrong_studies_are_exceptions(oscillator):
    with pytest.raises(ValueError):
        ergon.sweep(oscillator, {"right.nothing": [1.0, 2.0]})
