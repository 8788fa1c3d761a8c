"""The notebooks of `docs/notebooks` run from beginning to end."""

import pathlib

import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(NOTEBOOKS)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=where).execute()
    drawn = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(drawn) >= 2


def test_there_is_a_notebook():
    assert list(NOTEBOOKS.glob("*.ipynb"))
