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
    (lambda: ts.Trace("/nowhere.csv"), "/nowhere.csv"),
    (lambda: ts.Network("resnet-19"), "resnet-18"),
    (lambda: ts.Network("mlp-16-16").plan(policy="theirs"), "ours"),
    (lambda: ts.Network("mlp-16-16").plan(storage="fp8"), "fp16"),
    (lambda: ts.Network("mlp-16-16").run(inputs={"Q": np.zeros(3)}), "there is no input 'Q'"),
    (lambda: ts.Network("mlp-16-16").train(target=np.zeros((3, 4))), "batch"),
    (lambda: ts.Network("mlp-16-16").train(loss="hinge"), "mse"),
    (lambda: ts.compile("kernel void k() {}", gpu="adreno-999"), "adreno-740"),
    (lambda: ts.identify("/nowhere.csv"), "/nowhere.csv"),
])
def test_bad_input_is_one_line(ask, part):
    with pytest.raises((ts.BadInput, KeyError)) as raised:
        ask()
    line = str(raised.value)
    assert part in line and "\n" not in line
    if not isinstance(raised.value, KeyError):
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, ts.Error)


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
