"""What a notebook shows, frames, stubs, and the program that comes with the package."""

import os
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
        assert frame[column].tolist() == [row[column] for row in result.rows]
    page = xml.dom.minidom.parseString(f"<div>{result._repr_html_()}</div>")
    heads = [head.firstChild.data for head in page.getElementsByTagName("th")]
    assert heads[: len(frame.columns)] == list(frame.columns)
    assert len(page.getElementsByTagName("tr")) == 1 + min(60, len(frame))
    assert repr(result).startswith(type(result).__name__ + "(") and "\n" not in repr(result)


def test_pictures(tmp_path):
    heat = STUDY.heat_map("A")
    assert heat._repr_png_().startswith(b"\x89PNG") and heat.png(scale="log", largest=64) != heat.png()
    heat.save(str(tmp_path / "a.npy"))
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
        if thing.__module__ == "texelscope._errors":
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
