import csv
import json
import pathlib
import subprocess
import threading

import ergon
import numpy as np
import pytest
from ergon import _ergon


def rows_of(file):
    with open(file, newline="") as table:
        return list(csv.reader(table))


def test_a_run_is_that_of_the_command_to_the_bit(oscillator, tmp_path):
    command = pathlib.Path(_ergon.__file__).parents[2] / "app" / "ergon"
    result = ergon.run(oscillator, set={"simulation.stop_time": 1}, out=tmp_path / "python")
    subprocess.run([command, "run", oscillator, "--set", "simulation.stop_time=1", "--out", tmp_path / "command", "--quiet"], check=True)
    for file in ("results.csv", "bonds.csv", "energy.csv", "motion.csv"):
        assert (tmp_path / "python" / file).read_bytes() == (tmp_path / "command" / file).read_bytes(), file
    written = rows_of(tmp_path / "python" / "results.csv")
    column = written[0].index("right.velocity")
    assert result["right.velocity"].tolist() == [float(row[column]) for row in written[1:]]
    assert result.time.tolist() == [float(row[0]) for row in written[1:]]


def test_what_is_known_about_a_result(oscillator, tmp_path):
    result = ergon.run(str(oscillator), stop_time=1, step_size="1e-4", set=["bond.coupling.feedthrough=refresh"], out=tmp_path / "r")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert result.status == "finished"
    assert result.verdict == summary["verdict"]["value"]
    assert str(result.verdict) in repr(result)
    assert [reason.what for reason in result.verdict.reasons] == [r["what"] for r in summary["verdict"]["reasons"]]
    assert result.unit("left.force") == "N"
    assert result.errors["left.force"].largest == summary["motion"]["variables"]["left.force"]["largest_error"]
    assert result.bonds["coupling"].imbalance == summary["bonds"]["coupling"]["imbalance_energy_J"]
    assert result.energy.initial == 10000.0
    assert result.costs["left"]["steps"] == summary["subsystems"]["left"]["steps"]
    assert set(result) == {"left.position", "left.velocity", "left.force", "right.position", "right.velocity"}
    with pytest.raises(KeyError, match="Did you mean 'left.force'"):
        result["left.forse"]


def test_results_as_tables(oscillator):
    pandas = pytest.importorskip("pandas")
    result = ergon.run(oscillator, stop_time="0.1")
    frame = result.to_pandas()
    assert frame.index.name == "time" and frame.attrs["units"]["left.position"] == "m"
    assert np.array_equal(frame["left.position"].to_numpy(), result["left.position"])
    reference = pandas.read_csv(result.folder / "results.csv", float_precision="round_trip")
    assert np.array_equal(reference["right.velocity"].to_numpy(), result["right.velocity"])
    assert "coupling.power" in result.table("bonds.csv")


def test_results_in_hdf5_are_those_in_csv(oscillator, tmp_path):
    pytest.importorskip("h5py")
    csv_run = ergon.run(oscillator, stop_time=0.5, out=tmp_path / "csv")
    try:
        run = ergon.run(oscillator, stop_time=0.5, set={"output.format": "hdf5"}, out=tmp_path / "hdf5")
    except ergon.InputError as error:
        pytest.skip(str(error))  # a build without HDF5
    assert not (tmp_path / "hdf5" / "results.csv").exists()
    assert list(run) == list(csv_run) and run.unit("left.force") == "N"
    assert run.time.tolist() == csv_run.time.tolist()
    for name in csv_run:
        assert run[name].tolist() == csv_run[name].tolist(), name
    assert run.table("bonds.csv")["coupling.power"].tolist() == csv_run.table("bonds.csv")["coupling.power"].tolist()
    assert run.to_pandas().shape == csv_run.to_pandas().shape


def test_an_accuracy_that_is_asked_for_is_met(oscillator):
    result = ergon.run(oscillator, stop_time=0.2, accuracy="5 %", set={"bond.coupling.feedthrough": "refresh"})
    judged = [e.ratio for e in result.errors.values() if e.judged and e.ratio is not None]
    assert judged and max(judged) <= 0.05


def test_wrong_input_is_an_exception_with_file_and_line(oscillator, tmp_path):
    with pytest.raises(ergon.InputError, match="left.mm"):
        ergon.run(oscillator, set={"left.mm": 1.0}, out=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[simulation]\nstop_time = 1\n[[subsystem]]\nname = 'a'\nmodel = 'nothing.there'\nstep_size = 0.1\n")
    with pytest.raises(ValueError, match=r"wrong\.toml:5"):
        ergon.run(wrong)
    with pytest.raises(TypeError, match="dict"):
        ergon.run(oscillator, set="left.m=1")


def test_point_by_point(oscillator):
    whole = ergon.run(oscillator, stop_time=0.05)
    simulation = ergon.Simulation(oscillator, stop_time=0.05)
    times, seen = [], []
    simulation.observe(lambda point: (times.append(point.time), seen.append(point["right.velocity"])))
    while simulation.advance():
        pass
    assert simulation.over and simulation.status == "finished"
    assert times == whole.time.tolist() and seen == whole["right.velocity"].tolist()
    assert simulation["right.velocity"] == seen[-1]
    assert simulation.verdict.value == simulation.summary["verdict"]["value"]


def test_a_restored_run_repeats_itself(oscillator):
    simulation = ergon.Simulation(oscillator, stop_time=0.05)
    simulation.run(until=0.02)
    assert simulation.time == 0.02
    saved = simulation.save()

    def rest():
        values = []
        while simulation.advance():
            values.append(simulation["left.force"])
        return values

    first = rest()
    simulation.restore(saved)
    assert simulation.time == 0.02 and rest() == first
    with pytest.raises(ValueError, match="another simulation"):
        simulation.another().restore(saved)


def test_points_and_simulations_cannot_be_misused(oscillator):
    simulation = ergon.Simulation(oscillator, stop_time=0.01)
    kept = []
    errors = []

    def observer(point):
        kept.append(point)
        try:
            simulation.advance()
        except RuntimeError as error:
            errors.append(str(error))

    simulation.observe(observer)
    simulation.run()
    assert errors and "in use" in errors[0]
    with pytest.raises(RuntimeError, match="during the call"):
        kept[0].time
    with pytest.raises(RuntimeError, match="nothing was recorded"):
        simulation.result


def test_an_observer_that_raises_ends_the_run_with_its_message(oscillator):
    simulation = ergon.Simulation(oscillator, stop_time=0.01)

    def observer(point):
        raise LookupError("what the observer wanted to say")

    simulation.observe(observer)
    with pytest.raises(RuntimeError, match="what the observer wanted to say"):
        simulation.run()


def test_simulations_in_threads_are_those_of_one(oscillator):
    alone = ergon.run(oscillator, stop_time=1)["left.position"].tolist()
    found = [None] * 4

    def work(i):
        found[i] = ergon.run(oscillator, stop_time=1)["left.position"].tolist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(values == alone for values in found)


def test_the_lock_of_the_interpreter_is_free_while_a_run_goes_on(oscillator):
    counted = 0
    done = threading.Event()

    def work():
        ergon.run(oscillator, stop_time=1000, check="off", set={"output.interval": "10"})
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 1000


def test_progress_and_ctrl_c(oscillator, tmp_path):
    seen = []
    ergon.run(oscillator, stop_time=3000, check="off", progress=seen.append, set={"output.interval": "10"})
    assert seen == sorted(seen) and len(seen) > 0

    def interrupt(time):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ergon.run(oscillator, stop_time=10000, check="off", progress=interrupt, set={"output.interval": "10"}, out=tmp_path / "r")
    assert ergon.Result(tmp_path / "r").status == "interrupted"


def test_pages_and_comparisons(oscillator):
    result = ergon.run(oscillator, stop_time=0.1)
    assert result.report().read_text().startswith("<!")
    finer = ergon.run(oscillator, stop_time=0.1, step_size="1e-4")
    comparison = ergon.compare(result, finer, tolerance=0.5)
    assert comparison["left.position"].relative > 0.0
    assert ergon.compare(result, result).worst().largest == 0.0
    shown = finer._repr_html_()
    assert "iframe" in shown and finer.verdict.value in shown
