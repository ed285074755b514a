"""Searches of the command line as lines of JSON, of one position or of those on the standard input."""

import json
from typing import Any

from click.testing import CliRunner, Result

from hoppers.cli.main import main


def solved(*words: str, positions: str = "") -> tuple[Result, list[dict[str, Any]]]:
    done = CliRunner().invoke(main, ["solve", *words], input=positions)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_events_are_lines_of_json() -> None:
    done, lines = solved("hoppers", "oooooo.oooooo", "--goal", "6", "--all", "--json")
    assert done.exit_code == 0
    assert [line["event"] for line in lines] == ["exhausted", "solved"]
    assert lines[-1]["limit"] == len(lines[-1]["moves"]) == 7 and lines[-1]["count"] == 72
    assert "position" not in lines[-1]


def test_positions_of_the_standard_input_have_a_result_each() -> None:
    texts = ["oooooo.oooooo", "oo..........o", "......o......", "o.o"]
    done, lines = solved("hoppers", "-", "--goal", "6", positions="\n".join([*texts[:2], "", *texts[2:]]))
    last = {line["position"]: line for line in lines}
    assert [last[text]["event"] for text in texts] == ["solved", "unsolvable", "solved", "failed"]
    assert last[texts[0]]["limit"] == 7 and last[texts[2]]["moves"] == []
    assert "'o.o'" in last[texts[3]]["error"]["message"] and done.exit_code == 2


def test_exit_status_is_the_highest_of_all() -> None:
    assert solved("hoppers", "-", positions="")[0].exit_code == 0
    assert solved("hoppers", "-", positions="oooooo.oooooo\n")[0].exit_code == 0
    assert solved("hoppers", "-", "--goal", "6", positions="oo..........o\noooooo.oooooo\n")[0].exit_code == 1
