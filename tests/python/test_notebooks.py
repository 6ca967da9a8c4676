"""Every notebook of docs/notebooks runs, and shows what it is there to show."""

import pathlib

import nbclient
import nbformat
import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"
SHOWN = {  # of each notebook, kinds of output and how many there are at least
    "explore_a_kernel": {"image/png": 2, "image/svg+xml": 1, "text/html": 3},
    "crosscheck_on_silicon": {"text/html": 3},
    "layouts_of_a_network": {"text/html": 2},
}


def test_every_notebook_is_known():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    for kind, least in SHOWN[name].items():
        assert kinds.count(kind) >= least
    assert not any(output.get("name") == "stderr" for output in outputs)
    printed = " ".join(output.get("text", "") for output in outputs)
    assert "passed: False" not in printed
