"""Errors are exceptions with the command line's one line."""

import os
import subprocess

import numpy as np
import pytest

import texelscope as ts


@pytest.mark.parametrize("ask, part", [
    (lambda: ts.Study("matmul", (64, 64)), "give M,N,K"),
    (lambda: ts.Study("matmull", (64, 64, 64)), "matmul"),
    (lambda: ts.Study("matmul", (64, 64, 64), config="T=3x"), "T"),
    (lambda: ts.Study("matmul", (64, 64, 64), device="adreno-999"), "adreno-740"),
    (lambda: ts.Device(set={"l1.capacit": 1}), "l1.capacity"),
    (lambda: ts.Device()["nothing"], "nothing"),
    (lambda: ts.Study("matmul", (64, 64, 64)).heat_map("Q"), "images are A, B"),
    (lambda: ts.Study("matmul", (64, 64, 64)).heat_map("A", "missed"), "misses"),
    (lambda: ts.Study("matmul", (64, 64, 64)).heat_map("A", steps=(3, 3)), "no range"),
    (lambda: ts.Study("matmul", (64, 64, 64)).tune("quick"), "shortlist"),
    (lambda: ts.Study("matmul", (64, 64, 64)).predict("best"), "bottleneck"),
    (lambda: ts.Study("matmul", (8, 8, 8)).run(inputs={"Q": np.zeros((8, 8))}), "inputs are A, B"),
    (lambda: ts.Study("matmul", (8, 8, 8)).run(inputs={"A": np.zeros((8, 9))}), "shape"),
    (lambda: ts.Study("matmul", (8, 8, 8)).run(samples=0), "samples"),
    (lambda: ts.Place("ssh:"), "ssh:HOST"),
    (lambda: ts.Trace("/nowhere.csv"), "/nowhere.csv"),
    (lambda: ts.Network("resnet-19"), "resnet-18"),
    (lambda: ts.Network("mlp-16-16").plan(policy="theirs"), "ours"),
    (lambda: ts.Network("mlp-16-16").plan(storage="fp8"), "fp16"),
    (lambda: ts.Network("mlp-16-16").run(inputs={"Q": np.zeros(3)}), "there is no input 'Q'"),
    (lambda: ts.Network("mlp-16-16").train(target=np.zeros((3, 4))), "batch"),
    (lambda: ts.Network("mlp-16-16").train(loss="hinge"), "mse"),
    (lambda: ts.compile_kernel("kernel void k() {}", gpu="adreno-999"), "adreno-740"),
    (lambda: ts.identify("/nowhere.csv"), "/nowhere.csv"),
    (lambda: ts.Study("matmul", (8, 8, 8)).tune(budget=0), "budget"),
    (lambda: ts.Study("matmul", (8, 8, 8)).tune(seconds=float("nan")), "seconds"),
    (lambda: ts.Study("matmul", (8, 8, 8)).tune("model", budget=3), "do not apply"),
    (lambda: ts.Study("matmul", (8, 8, 8)).tune("random", variant="literal"), "does not apply"),
    (lambda: ts.Study("matmul", (8, 8, 8)).crosscheck(samples=1), "2 to 1000000"),
    (lambda: ts.Study("matmul", (8, 8, 8)).trace.accesses(groups=(3, 1)), "no range"),
    (lambda: ts.Network("mlp-16-16", batch=0), "1 to 65536"),
    (lambda: ts.Network("mlp-16-16").train(accumulate=0), "from 1 on"),
    (lambda: ts.Network("mlp-16-16").train(learning_rate=float("nan")), "from 0 on"),
    (lambda: ts.Network("mlp-16-16").train(on=None, target=np.zeros((4, 16))), "no device"),
    (lambda: ts.Study("matmul", (8, 8, 8), config="A=row,row;T=1x1;G=8x8x1;M=buffer,buffer,image").heat_map(), "no image"),
])
def test_bad_input_is_one_line(ask, part):
    with pytest.raises((ts.BadInput, KeyError)) as raised:
        ask()
    line = str(raised.value)
    assert part in line and "\n" not in line
    if not isinstance(raised.value, KeyError):
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, ts.Error)


def test_wrong_types_are_type_errors():
    study = ts.Study("matmul", (8, 8, 8))
    for ask in (lambda: study.tune(budget=8, progress=3), lambda: study.simulate(time=True), lambda: study.heat_map(0)):
        with pytest.raises(TypeError):
            ask()


def test_a_path_with_a_nul_is_refused(tmp_path):
    with pytest.raises((TypeError, ValueError)):
        ts.Study("matmul", (8, 8, 8)).heat_map("A").save(str(tmp_path / "a\0b.png"))
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_is_not_there_is_missing():
    for ask in (lambda: ts.Study("matmul", (8, 8, 8)).run(ts.Place("pocl", agent="/nowhere/agent")),
                lambda: ts.opencl_devices(agent="/nowhere/agent")):
        with pytest.raises(ts.Missing, match="/nowhere/agent"):
            ask()


def test_what_is_not_there_is_missing():
    with pytest.raises(ts.Missing) as raised:
        ts.Study("matmul", (8, 8, 8)).run(on="no such device")
    assert isinstance(raised.value, OSError) and isinstance(raised.value, ts.Error)
    assert "no such device" in str(raised.value)


def test_the_line_is_the_command_lines():
    program = os.path.join(ts.program_folder(), "texelscope")
    printed = subprocess.run([program, "simulate", "--shape", "64,64"], capture_output=True, text=True)
    with pytest.raises(ts.BadInput) as raised:
        ts.Study("matmul", "64,64")
    assert printed.stderr == f"texelscope: {raised.value}\n"
