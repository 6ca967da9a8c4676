"""What a notebook shows, frames, stubs, and the program that comes with the package."""

import copy
import os
import pickle
import subprocess
import sys
import xml.dom.minidom

import numpy as np
import pytest

import texelscope as ts

STUDY = ts.Study("matmul", (32, 32, 32))
TABLES = [
    STUDY.simulate(), STUDY.reuse(), STUDY.predict(), STUDY.tune(budget=4, progress=False), ts.Device(),
    ts.Network("mlp-16-16"), ts.Network("mlp-16-16").plan(progress=False),
]


@pytest.mark.parametrize("result", TABLES, ids=lambda result: type(result).__name__)
def test_a_result_is_a_table_a_frame_and_html(result):
    frame = result.to_frame()
    assert list(frame.columns) == list(result.rows[0]) and len(frame) == len(result.rows)
    for column in frame.columns:
        expected = [row[column] for row in result.rows]
        assert [None if value != value else value for value in frame[column].tolist()] == expected
    page = xml.dom.minidom.parseString(f"<div>{result._repr_html_()}</div>")
    heads = [head.firstChild.data for head in page.getElementsByTagName("th")]
    assert heads[: len(frame.columns)] == list(frame.columns)
    assert len(page.getElementsByTagName("tr")) == 1 + min(60, len(frame))
    assert repr(result).startswith(type(result).__name__ + "(") and "\n" not in repr(result)


def test_what_is_not_known_is_none():
    simulation = ts.Study("matmul", (32, 32, 32), device=ts.Device(set={"misses.kinds": False})).simulate()
    assert simulation.l1.compulsory is None and simulation.rows[0]["compulsory"] is None
    assert simulation.rows[0]["misses"] == simulation.l1.misses


def test_devices_are_values():
    device = ts.Device("mali-g77", set={"l1.capacity": 4096.0, "jump": True})
    assert device == pickle.loads(pickle.dumps(device)) == copy.deepcopy(device) and device != ts.Device("mali-g77")
    assert "l1.capacity" in device and "l1.capacit" not in device and dict(device)["l1.capacity"] == "4096"
    assert "l1.capacity=4096" in repr(device)
    study = ts.Study("conv2d", (1, 7, 7, 4, 4, 3, 3, 1), padding="valid", device=device, seed=5)
    again = pickle.loads(pickle.dumps(study))
    assert (again.config, again.shape, again.device) == (study.config, study.shape, device)
    assert np.array_equal(again.heat_map().counts, study.heat_map().counts)


def test_pictures(tmp_path):
    heat = STUDY.heat_map("A")
    assert heat._repr_png_().startswith(b"\x89PNG") and heat.png(scale="log", largest=64) != heat.png()
    heat.save(tmp_path / "a.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"), heat.counts)
    heat.save(str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_text().startswith("x,y,count\n")
    with pytest.raises(ts.BadInput, match="endings"):
        heat.save(str(tmp_path / "a.jpg"))
    assert xml.dom.minidom.parseString(STUDY.reuse()._repr_svg_()).documentElement.tagName == "svg"


def test_without_pandas_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        STUDY.simulate().to_frame()


def test_everything_has_a_docstring_and_a_type():
    folder = os.path.dirname(ts.__file__)
    stub = open(os.path.join(folder, "_texelscope.pyi")).read()
    for name in dir(ts):
        thing = getattr(ts, name)
        if name.startswith("_") or not getattr(thing, "__module__", "").startswith("texelscope"):
            continue
        assert thing.__doc__, name
        if isinstance(thing, type) and issubclass(thing, ts.Error):
            continue
        assert f"class {name}" in stub or f"def {name}" in stub or f"{name}:" in stub, name
    assert os.path.exists(os.path.join(folder, "py.typed"))
    for leaked in ("std::", "texelscope::", "nanobind"):
        assert leaked not in stub


def test_a_checker_of_types_takes_the_stubs(tmp_path):
    right = tmp_path / "right.py"
    right.write_text("import texelscope as ts\n"
                     "misses: int = ts.Study('matmul', (64, 64, 64)).simulate().l1.misses\n"
                     "total: int = ts.Study('matmul', '64,64,64').heat_map('A').counts.sum()\n"
                     "inputs = {'A': [[1.0]]}\nsettings = {'l1.capacity': 2048}\n"
                     "ts.Study('matmul', (1, 1, 1), device=ts.Device(set=settings)).run(inputs=inputs, on=0)\n"
                     "print(ts.__version__, ts.Device().rows[0]['value'] + 'x', ts.Device().to_frame().columns)\n"
                     "best: str = ts.Study('matmul', (64, 64, 64)).tune(budget=3, progress=None).best\n"
                     "print(ts.Network('fsrcnn').run(inputs={}).outputs['x'].shape, misses, total, best)\n")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import texelscope as ts\nmisses: str = ts.Study('matmul', (64, 64, 64)).simulate().l1.misses\n"
                     "ts.Study('matmul', (64, 64, 64)).simulate(time=True)\n")
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run([*check, str(right)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*check, str(wrong)], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.count("error:") == 2, done.stdout


@pytest.mark.parametrize("program", [[os.path.join(os.path.dirname(sys.executable), "texelscope")], [sys.executable, "-m", "texelscope"]])
def test_the_program_comes_with_it(program):
    printed = subprocess.run([*program, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed == f"texelscope {ts.__version__}\n"
    refused = subprocess.run([*program, "simulate"], capture_output=True, text=True)
    assert refused.returncode == 2 and refused.stderr.startswith("texelscope: ")
