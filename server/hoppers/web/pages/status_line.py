"""The status line of the game page, sent by the server so that it is visible before the scripts have loaded.

`StatusLine` in static/play/status.js writes equal texts. Texts that depend on data of the browser are left to
the scripts.
"""

from typing import Any

from markupsafe import Markup, escape

from hoppers.analysis import verdicts
from hoppers.core.model import cost_of
from hoppers.drawing import board_picture
from hoppers.web.api import answers
from hoppers.web.api.play_line import PlayLine
from hoppers.web.http.i18n import catalogue, current_locale, format_decimal


def status_texts(
    line: PlayLine, start: answers.PlacedVerdict, here: answers.PositionAnswer, is_hidden: bool
) -> dict[str, Any]:
    """Return the status line of a game. `start` and `here`: its first and last position as JSON fields.

    The field `counts` is markup. The verdict's `word`, its icon `sign` and the sentence `detail` are '' where
    the scripts have to fill them in, and where the verdict `is_hidden`: before the end of a game.
    """
    is_over = here["verdict"] == verdicts.SOLVED or not here["steps"]
    if is_hidden and not is_over:
        counts = _counts(line, cost_of(graded.step for graded in line.steps), None)
        return {"counts": counts, "word": "", "sign": "", "detail": "", "is_hidden": True}
    made, fewest = cost_of(graded.step for graded in line.steps), start["moves_left"]
    name = _word_of(line, start, here)
    sign = {"live": "live", "solved": "live", "unknown": ""}.get(name, "dead")
    return {
        "counts": _counts(line, made, None if here["verdict"] == verdicts.DEAD_END else fewest),
        "word": text(f"verdict.{name}") if sign else "",
        "sign": sign,
        "detail": _remaining(line) if name == "stuck" else _detail(name, made, fewest, here["moves_left"]),
        "is_hidden": False,
    }


def _remaining(line: PlayLine) -> str:
    """Return the number of pieces left in words."""
    return text("comma").join(text(key, n=n) for key, n in _pieces(line).items())


def _word_of(line: PlayLine, start: answers.PlacedVerdict, here: answers.PositionAnswer) -> str:
    """Return which word of the catalogue (`verdict.`) the verdict shows."""
    if here["verdict"] != verdicts.DEAD_END:
        return here["verdict"]
    if line.steps and not here["steps"]:
        return "stuck"
    return "never" if start["verdict"] == verdicts.DEAD_END else "dead"


def _counts(line: PlayLine, made: int, fewest: int | None) -> Markup:
    """Return the moves made, the pieces on the board and the fewest moves, with bold numbers.

    Only pieces for which the catalogue has a text are counted. The red peg counts as a peg. If `fewest` is
    None, that part is left out.
    """
    counts = {"count.moves": made, **_pieces(line)}
    if fewest is not None:
        counts["count.best"] = fewest
    return escape(text("comma")).join(_with_bold_number(key, n) for key, n in counts.items())


def _pieces(line: PlayLine) -> dict[str, int]:
    """Return how many pieces of each counted kind are on the board, by key of the catalogue."""
    glyphs = board_picture.glyphs_of(line.puzzle)
    placed = [f"{glyphs.get(cell, '')}-" for cell in line.puzzle.format(line.end).split(":")[0]]
    entries = catalogue()
    return {
        f"count.{glyph}": sum(name.startswith(f"{glyph}-") for name in placed)
        for glyph in glyphs.values()
        if f"count.{glyph}" in entries
    }


def _detail(name: str, made: int, fewest: int | None, left: int | None) -> str:
    """Return the sentence next to the verdict `name`, or '' if it is left to the scripts.

    `made`: moves made. `fewest`, `left`: fewest moves from the start and from here; None: not known.
    """
    if name == verdicts.SOLVED and made and fewest is not None:
        return text("more.optimal", n=made) if made == fewest else text("more.solved", n=made, best=fewest)
    if name != verdicts.LIVE or left is None:
        return ""
    is_over = fewest is not None and made + left > fewest
    if left == 0:
        return text("more.lastOver" if is_over else "more.last", all=made)
    return text("more.over" if is_over else "more.live", n=left, all=made + left)


def text(key: str, **values: int) -> str:
    """Return a text of the catalogue with its values filled in, in the plural form of the value `n`."""
    numbers = {name: format_decimal(value) for name, value in values.items()}
    return _form(key, values.get("n", 0)).format(**numbers)


def _with_bold_number(key: str, n: int) -> Markup:
    return escape(_form(key, n)).format(n=Markup("<b>{}</b>").format(format_decimal(n)))


def _form(key: str, n: int) -> str:
    """Return a text of the catalogue in the plural form of `n`."""
    entry = catalogue()[key]
    return entry if isinstance(entry, str) else entry[current_locale().plural_form(n)]
