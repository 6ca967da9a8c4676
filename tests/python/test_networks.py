"""Networks through Python, against the command line and against NumPy."""

import json
import os
import subprocess

import numpy as np
import pytest

import texelscope as ts

PROGRAM = os.path.join(ts.program_folder(), "texelscope")


def command(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_simulated_as_the_command_line_does():
    result = ts.Network("fsrcnn").simulate(progress=False)
    printed = command("network", "simulate", "fsrcnn")
    assert result.total_ns["model"] == pytest.approx(printed["total"]["predicted_ns"])
    assert result.total_ns["simulator"] == pytest.approx(printed["total"]["simulated_ns"])
    assert [row["configuration"] for row in result.rows] == [node["config"] for node in printed["nodes"]]
    assert [row["L1 misses"] for row in result.rows] == [node["l1"]["misses"] for node in printed["nodes"]]
    assert result.memory["peak_bytes"] == printed["memory"]["peak_bytes"]
    assert "kernel __attribute__" in result.kernel_text(0)
    with pytest.raises(IndexError):
        result.kernel_text(len(result))


def test_a_run_gives_what_the_command_line_writes(tmp_path):
    network = ts.Network("lenet-5")
    (name, shape), = network.inputs.items()
    (output, _), = network.outputs.items()
    given = np.random.default_rng(3).uniform(-1, 1, shape).astype(np.float32)
    np.save(tmp_path / "in.npy", given)
    subprocess.run([PROGRAM, "network", "run", "lenet-5", "--input", f"{name}={tmp_path}/in.npy",
                    "--output", f"{output}={tmp_path}/out.npy", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    result = network.run(inputs={name: given}, check=True, progress=False)
    assert result.passed and np.array_equal(result.outputs[output], np.load(tmp_path / "out.npy"))


def test_training_takes_the_steps_of_the_command_line():
    network = ts.Network("mlp-784-256-128-16", batch=8)
    trained = network.train(steps=4, learning_rate=0.05, momentum=0.9, progress=False)
    printed = command("network", "run", "mlp-784-256-128-16", "--batch", 8, "--train", "--steps", 4,
                      "--learning-rate", 0.05, "--momentum", 0.9)
    assert trained.losses.tolist() == printed["losses"]
    assert trained.passed is None and network.run(progress=False).passed is None
    assert len(trained.weights) == 6 and all(np.isfinite(w).all() for w in trained.weights.values())


def test_training_learns_given_samples():
    random = np.random.default_rng(5)
    network = ts.Network("mlp-16-16", batch=16)
    (name, shape), = network.inputs.items()
    samples = random.uniform(-1, 1, (64, *shape[1:])).astype(np.float32)
    (output, out_shape), = network.outputs.items()
    target = np.tanh(samples.reshape(64, -1)[:, : out_shape[-1]]).astype(np.float32)
    trained = network.train(inputs={name: samples}, target=target, loss="mse", steps=60, learning_rate=0.2, progress=False)
    assert trained.losses[-1] < 0.5 * trained.losses[0]


def test_written_files(tmp_path):
    network = ts.Network("mlp-16-16")
    network.save(tmp_path / "n.onnx")
    assert ts.Network(tmp_path / "n.onnx").inputs == network.inputs
    planned = network.plan(progress=False)
    planned.save_report(tmp_path / "r.html")
    planned.save_timeline(str(tmp_path / "t.pftrace"))
    assert "<html" in (tmp_path / "r.html").read_text() and (tmp_path / "t.pftrace").stat().st_size > 100


def test_policies_and_arenas_differ():
    network = ts.Network("fsrcnn")
    ours, theirs = network.plan(progress=False), network.plan(policy="mnn", progress=False)
    assert ours.total_ns["model"] < theirs.total_ns["model"]
    assert network.plan(arena=True, progress=False).memory["peak_bytes"] <= ours.memory["peak_bytes"]
