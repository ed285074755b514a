"""A search as an iterator of its events, which can be closed at any time."""

import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from markupsafe import escape

from hoppers.analysis.requests import ParsedSearch
from hoppers.core.events import Event, Exhausted, Failed, Found, Progress, Solved, Stopped, Unsolvable
from hoppers.library import questions
from hoppers.library.moves import with_values

HEAD = "<tr><th>limit</th><th>nodes</th><th>seconds</th><th>result</th></tr>"


class Search(Iterator[Event]):
    """The events of a search, in order; the search runs while the next event is awaited.

    After the last event, a call of `close`, or Ctrl+C, nothing of it is left. As a context manager it is
    closed at the end. In a notebook it is the table of its limits so far.
    """

    def __init__(self, search: ParsedSearch) -> None:
        self._events, self._puzzle = search.events(), search.question.puzzle
        self._name = f"{search.question.puzzle.id}, {search.method.title}"
        self._seen: list[Event] = []

    def __next__(self) -> Event:
        """Search on, and return the next event."""
        with questions.kernels(self._puzzle):
            event = with_values(next(self._events))
        if self._seen and isinstance(self._seen[-1], Progress):
            self._seen.pop()
        self._seen.append(event)
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the search; no further event comes."""
        self._events.close()

    def result(self) -> Solved | Unsolvable | Stopped | Failed:
        """Search to the end, and return the last event.

        Raises:
            ValueError: the search was closed before.
        """
        with contextlib.closing(self):
            for _ in self:
                pass
        last = self._seen[-1] if self._seen else None
        if not isinstance(last, Solved | Unsolvable | Stopped | Failed):
            raise ValueError("the search was closed before its end")
        return last

    def __repr__(self) -> str:
        last = self._seen[-1] if self._seen else None
        limit = getattr(last, "limit", None)
        state = "not begun" if last is None else type(last).__name__.lower()
        return f"<search: {self._name}; {state}{'' if limit is None else f', limit {limit}'}>"

    def _repr_html_(self) -> str:
        rows = "".join(map(_row, self._seen))
        return f"<table><caption>{escape(self._name)}</caption>{HEAD}{rows}</table>"


def _row(event: Event) -> str:
    match event:
        case Progress(limit, nodes, seconds):
            cells = [limit, f"{nodes:,}", f"{seconds:.3f}", "searching"]
        case Exhausted(limit, nodes, _, seconds):
            cells = [
                limit,
                f"{nodes:,}",
                f"{seconds:.3f}",
                "no solution" if event.proved else "nothing found",
            ]
        case Solved(limit, nodes, seconds):
            cells = [limit, f"{nodes:,}", f"{seconds:.3f}", "solved"]
        case Found(limit, seconds):
            cells = [limit, "", f"{seconds:.3f}", "found, not proved"]
        case Unsolvable(reason, _, seconds):
            cells = ["", "", f"{seconds:.3f}", f"no solution at all ({reason})"]
        case Stopped(reason, limit, _, seconds):
            cells = [limit, "", f"{seconds:.3f}", f"stopped ({reason})"]
        case Failed(error):
            cells = ["", "", "", error["message"]]
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
