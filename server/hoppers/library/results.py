"""The open data of the program as rows, the same as the files of `/data` and of `hoppers data`."""

from hoppers.analysis.open_data import data_tables
from hoppers.core.errors import quoted
from hoppers.library import questions
from hoppers.library.errors import InvalidOption


def data(name: str) -> list[dict[str, str | int | float | None]]:
    """Return the rows of a table of the open data, such as "atlas" or "cards".

    Raises:
        InvalidOption: there is no such table; the message names all.
    """
    tables = {table.name: table.rows for table in data_tables(questions.engine().puzzles.values())}
    if name not in tables:
        sentence = "There is no table {name}; there are {tables}."
        raise InvalidOption(sentence, "invalid_option", name=quoted(name), tables=", ".join(tables))
    return tables[name]
