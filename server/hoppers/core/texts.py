"""Texts that people read: English sentences with values, by which translations are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Text(NamedTuple):
    """A text in English, as a template: the page shows its translation (see `web.http.i18n.localized`)."""

    template: str
    """Text with its values in placeholders, such as {name}, which translations may reorder."""
    values: Mapping[str, object] = {}
    """Value of each placeholder; a value that is a `Text` is translated, too."""
    plural: str = ""
    """Template for all values of `n` but 1; "" if the text has only one form."""

    def __str__(self) -> str:
        """Return the English text, for the API and the command line."""
        is_plural = self.plural and self.values["n"] != 1
        return filled(self.plural if is_plural else self.template, self.values)

    def __hash__(self) -> int:
        """Return the hash of the template, because a mapping has none."""
        return hash(self.template)


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a template with its values in the placeholders.

    Without values a template has no placeholders, so that it may contain braces.
    """
    return template.format(**values) if values else template


JOINED = Text("{before} {after}")
"""Two sentences; the translation has the gap of its language."""


def joined(first: Text, *others: Text) -> Text:
    """Return sentences one after another, with the gap that a language has between them."""
    text = first
    for other in others:
        text = JOINED._replace(values={"before": text, "after": other})
    return text
