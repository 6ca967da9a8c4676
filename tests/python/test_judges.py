"""Prediction, tuning, cross-checks, runs and compilers."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import texelscope as ts

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PROGRAM = os.path.join(ts.program_folder(), "texelscope")


def command(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("device", ["adreno-640", "adreno-740", "mali-g77", "nvidia-h100"])
@pytest.mark.parametrize("memory", ["buffer,buffer,image", "image,buffer,image", "buffer,image,buffer"])
def test_kernels_that_read_buffers_take_as_long_as_the_command_line_says(device, memory):
    config = f"A=row,row;T=2x2;W=8x8;G=8x8x1;M={memory}"
    simulation = ts.Study("matmul", (96, 96, 96), config=config, device=device).simulate(timed=True)
    printed = command("simulate", "--shape", "96,96,96", "--config", config, "--device", device, "--timed")
    assert simulation.cycles == printed["cycles"]
    assert (simulation.l1.lookups, simulation.l2.lookups) == (printed["l1"]["lookups"], printed["l2"]["lookups"])


def test_a_prediction_is_the_command_lines():
    study = ts.Study("matmul", (64, 64, 64), config="A=row,column;T=4x4;G=8x8x1")
    printed = command("predict", "--shape", "64,64,64", "--config", "A=row,column;T=4x4;G=8x8x1")
    predicted = study.predict()
    assert predicted.ns == pytest.approx(printed["ns"], rel=1e-12) and predicted.variant == printed["variant"]
    for name, key in (("literal", "literal_ns"), ("refined", "refined_ns"), ("bottleneck", "bottleneck_ns")):
        assert predicted.variants[name] == pytest.approx(printed[key], rel=1e-12)
        assert study.predict(name).ns == predicted.variants[name]
    assert predicted.bounds == pytest.approx({bound["bound"]: bound["share"] for bound in printed["bounds"]})
    assert predicted.bound_by == printed["bound_by"] and sum(predicted.bounds.values()) == pytest.approx(1)
    assert [row["L_t ns"] for row in predicted.rows] == pytest.approx([i["L_t"] for i in printed["inputs"]])


def test_machines_are_the_command_lines():
    study = ts.Study("matmul", (64, 64, 64), config="A=row,column;T=4x4;G=8x8x1")
    printed = command("predict", "--shape", "64,64,64", "--config", study.config)["over_machines"]
    own = study.over_machines()
    assert own.machines == printed["machines"] and len(own) == 1
    row = own.rows[0]
    assert [row["median ns"], row["low ns"], row["high ns"]] == pytest.approx([printed[f"{m}_ns"] for m in ("median", "low", "high")])
    assert row["first"] == pytest.approx(1) and own.robust == study.config

    tuned = command("tune", "--shape", "64,64,64", "--strategy", "model", "--top", 5, "--robust")["over_machines"]["rows"]
    over = study.over_machines([row["config"] for row in tuned])
    assert over.robust == tuned[0]["config"]
    assert [row["median ns"] for row in over.rows] == pytest.approx([row["time"]["median_ns"] for row in tuned])
    assert all(row["low ns"] <= row["median ns"] <= row["high ns"] for row in over.rows)

    values = {row["key"]: row for row in ts.machine_values(study.device)}
    listed = {row["key"]: row for row in command("devices", "adreno-740")["over_machines"]["values"]}
    assert values.keys() == listed.keys()
    assert all(values[key]["spread"] == pytest.approx(listed[key]["spread"]) for key in values)
    again = pickle.loads(pickle.dumps(study))
    assert again.over_machines().rows == own.rows
    assert ts.machine_values(ts.Device("mali-g77")) == []
    with pytest.raises(ts.BadInput, match="nobody knows which machines"):
        ts.Study("matmul", (64, 64, 64), device="mali-g77").over_machines()


@pytest.mark.parametrize("strategy", ["shortlist", "model", "descent", "random"])
def test_a_search_finds_what_the_command_line_finds(strategy):
    budget = [] if strategy in ("model", "descent") else ["--budget", 16]
    printed = command("tune", "--shape", "32,32,32", "--strategy", strategy, "--top", 5, *budget)
    tuned = ts.Study("matmul", (32, 32, 32)).tune(strategy, top=5, budget=16 if budget else None, progress=False)
    assert [row["configuration"] for row in tuned.rows] == [row["config"] for row in printed["ranking"]]
    assert [row["ns"] for row in tuned.rows] == pytest.approx([row["cost_ns"] for row in printed["ranking"]])
    assert tuned.best == printed["ranking"][0]["config"] and tuned.space == printed["space"]
    assert tuned.evaluated == printed["evaluated"]


def test_conditions_and_parts_narrow_a_search(tmp_path):
    study = ts.Study("matmul", (32, 32, 32))
    narrow = study.tune(where=["block_size_x * block_size_y == 64"], budget=8, store=str(tmp_path / "s.db"), progress=False)
    whole = study.tune(budget=8, progress=False)
    assert narrow.kept < narrow.space == whole.space == whole.kept
    groups = [row["configuration"].split("G=")[1].split(";")[0].split("x") for row in narrow.rows]
    assert all(int(x) * int(y) == 64 for x, y, _ in groups)
    again = study.tune(where=["block_size_x * block_size_y == 64"], budget=8, store=str(tmp_path / "s.db"), progress=False)
    assert again.rows == narrow.rows
    assert study.with_config(narrow.best).simulate(timed=True).ns == pytest.approx(narrow.best_ns)


def kendall(a, b):
    """Tau-b, pair by pair."""
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i in range(len(a)) for j in range(i)]
    both = sum(x * y for x, y in signs)
    return both / np.sqrt(sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs))


def test_a_cross_check_of_runs_made_before():
    measured = os.path.join(ROOT, "experiments/measurements/h100-tuning.csv.zst")
    study = ts.Study("matmul", (256, 256, 256), device="nvidia-h100")
    checked = study.crosscheck(measured=measured, samples=20, progress=False)
    assert len(checked) == 20
    times = [[row[f"{judge} ns"] for row in checked.rows] for judge in ("predicted", "simulated", "measured")]
    assert checked.kendall["model_simulator"] == pytest.approx(kendall(times[0], times[1]))
    assert checked.kendall["simulator_device"] == pytest.approx(kendall(times[1], times[2]))
    best = [row["configuration"] for row in checked.rows][int(np.argmin(times[1]))]
    assert next(c["config"] for c in checked.choices if c["judge"] == "simulator") == best


def test_a_cross_check_that_runs_kernels():
    checked = ts.Study("matmul", (32, 32, 32)).crosscheck(samples=4, progress=False)
    assert all(row["output"] == "passed" for row in checked.rows)
    assert checked.note and "adreno-740" in checked.note


@pytest.mark.parametrize("config", ["", "A=block4,column;T=2x4;G=8x4x1", "A=row,row;T=2x2;G=4x4x1;P=fp16"])
def test_a_run_multiplies_matrices(config):
    random = np.random.default_rng(1)
    a, b = random.uniform(-1, 1, (24, 40)), random.uniform(-1, 1, (40, 20))
    study = ts.Study("matmul", (24, 20, 40), config=config)
    assert study.tensors["A"] == [24, 40] and study.tensors["B"] == [40, 20]
    run = study.run(inputs={"A": a, "B": b.astype(np.float32)})
    assert run.passed and run.ns > 0 and len(run.samples_ns) >= 1
    assert np.allclose(run.output, a @ b, atol=0.05 if "fp16" in config else 1e-5)


def test_a_place_names_the_agent_that_opens_it():
    place = ts.Place("pocl", agent=os.path.join(ts.program_folder(), "texelscope-agent"))
    assert place.on == "pocl" and "pocl" in repr(place)
    assert ts.Study("matmul", (16, 16, 16)).run(place).passed


@pytest.mark.parametrize("make", [lambda a: a.T.copy().T, lambda a: a.tolist(), lambda a: a.astype(">f4"), lambda a: a.astype(np.float16),
                                  lambda a: np.repeat(a, 2, axis=1)[:, ::2], lambda a: a.astype(int)])
def test_whatever_numpy_makes_an_array_of_is_taken(make):
    a = np.arange(64, dtype=np.float64).reshape(8, 8).T
    run = ts.Study("matmul", (8, 8, 8)).run(on=0, inputs={"A": make(a), "B": np.eye(8)})
    assert np.allclose(run.output, a)


def test_kernel_text_is_what_generate_prints():
    printed = subprocess.run([PROGRAM, "generate", "--shape", "64,64,64"], capture_output=True, text=True, check=True).stdout
    assert ts.Study("matmul", (64, 64, 64)).kernel_text == printed


def test_a_compiler_is_asked_or_missing():
    try:
        kernel = ts.Study("matmul", (64, 64, 64)).compile()
    except ts.Missing as missing:
        assert "texelscope compile --setup" in str(missing)
    else:
        assert kernel.gpu == "adreno-740" and kernel.registers > 0 and kernel.listing
        assert sum(row["count"] for row in kernel.rows) > 0


def test_a_study_file_is_opened(tmp_path):
    path = tmp_path / "s.study"
    path.write_text('<study><operator name="matmul" shape="32,32,32"/><configuration>A=row,row;T=2x2;G=8x8x1</configuration>'
                    '<device name="mali-g77"/><set key="l1.capacity">2048</set></study>')
    study = ts.Study.open(path)
    study.save(tmp_path / "again.xml")
    assert ts.Study.open(tmp_path / "again.xml").device == study.device
    assert study.op == "matmul" and study.device.name == "mali-g77" and study.device["l1.capacity"] == "2048"


def test_identification_finds_a_simulated_device():
    found = ts.identify_device("adreno-740", progress=False)
    assert found.found and found.explained and found.capacity == 1024 and found.line == 32
    assert np.mean(np.abs(found.predicted_ns / found.measured_ns - 1)) == pytest.approx(found.error)
    assert {row["property"] for row in found.support} >= {"capacity", "line"}


def test_a_formula_is_an_operator():
    formula = "S[i,j] = sum(d) Q[i,d] * K[j,d] / 8"
    study = ts.Study(formula, "i=24,j=20,d=12", device="adreno-740")
    assert (study.op, study.shape) == (formula, [24, 20, 12])
    printed = command("simulate", "--op", formula, "--shape", "24,20,12", "--config", study.config, "--device", "adreno-740", "--timed")
    assert study.simulate(timed=True).cycles == printed["cycles"]
    with pytest.raises(ValueError, match="column 8"):
        ts.Study("O[i] = ]", "4")
