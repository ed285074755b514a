"""The cells of docs/notebook/hoppers.ipynb run, and give the outputs that are stored in it.

Jupyter is not needed: a cell is run as a program, and the value of its last line is shown. Pictures are left
to `test_positions.py`; seconds differ from run to run. Cells with the tag "pandas" run where it is installed.
"""

import ast
import importlib.util
import json
import re
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from tests import ROOT

NOTEBOOK = ROOT / "docs" / "notebook" / "hoppers.ipynb"
SECONDS = re.compile(r"\d+\.\d+(e-\d+)?")
MAX_BYTES = 150_000


class Display:
    """The function `display` of a notebook: it keeps what was shown, as it was when last updated."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}

    def __call__(self, value: Any, display_id: bool) -> "Display":
        self.update(value)
        return self

    def update(self, value: Any) -> None:
        self.shown = {"text/plain": repr(value), "text/html": value._repr_html_()}


def run(source: str, names: dict[str, Any]) -> dict[str, str]:
    """Run a cell; return what it printed, the text of its last value and what it displayed, by type."""
    program, printed = ast.parse(source), StringIO()
    names["display"] = display = Display()
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else ast.Expr(ast.Constant(None))
    assert isinstance(last, ast.Expr)
    with redirect_stdout(printed):
        exec(compile(program, "cell", "exec"), names)
        value = eval(compile(ast.fix_missing_locations(ast.Expression(last.value)), "cell", "eval"), names)
    texts = {"stdout": printed.getvalue(), "text/plain": "" if value is None else as_shown(value)}
    return {kind: text for kind, text in {**texts, **display.shown}.items() if text}


def as_shown(value: Any) -> str:
    """Return a value as IPython writes it: a long list has an item on each line."""
    text = repr(value)
    if isinstance(value, list) and len(text) >= 80:
        text = "[" + ",\n ".join(map(repr, value)) + "]"
    return text


def stored(cell: dict[str, Any]) -> dict[str, str]:
    """Return the texts of a cell's stored outputs by type."""
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        texts = {"stdout": output["text"]} if output["output_type"] == "stream" else output["data"]
        found |= {kind: "".join(text) for kind, text in texts.items()}
    return found


def test_cells_give_the_stored_outputs() -> None:
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    has_pandas, names = importlib.util.find_spec("pandas") is not None, dict[str, Any]()
    for cell in cells:
        if has_pandas or "pandas" not in cell["metadata"].get("tags", []):
            expected = stored(cell)
            for kind, text in run("".join(cell["source"]), names).items():
                assert SECONDS.sub("s", text) == SECONDS.sub("s", expected[kind])
    assert len(cells) > 8 and all(cell["execution_count"] and cell["outputs"] for cell in cells)


def test_notebook_has_its_pictures_and_is_small() -> None:
    text = NOTEBOOK.read_text()
    assert len(text) < MAX_BYTES and '"image/svg+xml"' in text and text.count("<img") >= 3
