"""The OpenAPI document: it covers the API, its answers fit it, and a client needs nothing else."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema_rs
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from hoppers.web.api import openapi
from tests.conftest import MakeApp, Serve
from tests.support.described_client import DescribedClient, Refused
from tests.translations import LANGUAGES

PLACES = {
    "puzzle_id": ["hoppers", "hoppers-red", "flip-it-6", "eight-puzzle"],
    "position": ["oooooo.oooooo", "o..ooo.oo.ooo:0", ".oo..........", "bb_bbb", "1234_5678", "123456870"],
    "name": ["easy", "any"],
    "deck_id": ["hoppers"],
    "date": ["2026-01-31", "2026-02-30"],
}
VALUES = {
    "goal": ["6", "any", "867254301"],
    "method": ["best", "corners", "deepening", "manhattan", "breadth-first"],
    "line": ["0-6", "0-6.9-3", "1-0"],
    "start": ["oooooo.oooooo", "bb_bbb"],
    "position": PLACES["position"],
    "first_move": ["0,6"],
    "holes": ["0", "0,2", "12,x"],
    "lang": [*LANGUAGES],
}
"""Name of a text -> texts that mean something somewhere."""
RICH = {
    "show_position": "puzzles/french-37/positions/.oooooooooooooooooooooooooooooooooooo",
    "show_hint": "puzzles/fifteen-puzzle/positions/fe169b4c0a73d852/hint",
    "show_reason": "puzzles/hoppers/positions/oooooo.oooooo/reason?goal=1",
    "show_trace_page": "puzzles/hoppers/positions/oooooo.oooooo/trace?method=corners&limit=5",
    "show_bound": "puzzles/hoppers/positions/oooooo.oooooo/bound?method=corners-misprint",
    "show_play_line": "puzzles/hoppers/line?line=0-6.9-3",
    "list_solutions": "puzzles/hoppers/positions/oooooo.oooooo/solutions?unique=1",
    "list_results": "puzzles/french-37/atlas",
    "show_deck_data": "decks/hoppers",
    "show_day_data": "daily/2026-01-31",
}
"""Operation -> an address whose answer has much in it."""


@pytest.fixture(scope="module")
def document(shared_app: Flask) -> dict[str, Any]:
    answer: dict[str, Any] = shared_app.test_client().get("/api/openapi.json").get_json()
    return answer


@pytest.fixture(scope="module")
def validators(document: dict[str, Any]) -> dict[str, jsonschema_rs.Draft202012Validator]:
    """Validators of the answers by operation, and of errors, which allow no field that is not described."""
    closed = without_other_fields(document)
    contents = {
        operation["operationId"]: next(iter(operation["responses"]["200"]["content"].values()))["schema"]
        for operation in operations(closed)
    }
    contents["error"] = {"$ref": "#/components/schemas/ErrorAnswer"}
    return {name: jsonschema_rs.Draft202012Validator({**closed, **each}) for name, each in contents.items()}


def without_other_fields(schema: Any) -> Any:
    """Return a document whose objects with described fields have no others."""
    if isinstance(schema, list):
        return [without_other_fields(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: without_other_fields(each) for name, each in schema.items()}
    return (
        {**inner, "additionalProperties": False}
        if schema.get("type") == "object" and "properties" in schema
        else inner
    )


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the operations of a document, each with its `path`."""
    for path, item in document["paths"].items():
        yield {**item["get"], "path": path}


def test_every_route_is_described(shared_app: Flask, document: dict[str, Any]) -> None:
    routes = {rule.rule for rule in shared_app.url_map.iter_rules() if rule.rule.startswith("/api")}
    assert {re.sub(r"\{(.*?)\}", r"<\1>", path) for path in document["paths"]} == routes
    names = [operation["operationId"] for operation in operations(document)]
    assert len(set(names)) == len(names) == len(routes)


def test_route_that_describes_nothing_is_refused(make_app: MakeApp) -> None:
    app = make_app()
    app.add_url_rule("/api/more", view_func=lambda: "", endpoint="more")
    with app.test_request_context(), pytest.raises(TypeError, match="/api/more"):
        openapi.document()


def test_schemas_are_schemas_and_refer_to_each_other(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        jsonschema_rs.meta.validate(schema)
        assert schema["description"].endswith(".")
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert referred == set(schemas)


@pytest.mark.parametrize("name", RICH)
def test_answers_fit_their_schemas(
    shared_app: Flask, validators: dict[str, jsonschema_rs.Draft202012Validator], name: str
) -> None:
    answer = shared_app.test_client().get(f"/api/{RICH[name]}")
    assert answer.status_code == 200
    validators[name].validate(answer.get_json())


@st.composite
def addresses(draw: DrawFn, operation: dict[str, Any]) -> str:
    """Draw an address of an operation, whose parts are right or wrong."""
    path, query = operation["path"], {}
    for parameter in operation["parameters"]:
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] == "path":
            text = draw(st.sampled_from(PLACES[name]) | st.text(min_size=1, max_size=20))
            path = path.replace(f"{{{name}}}", quote(text, safe=""))
        elif draw(st.booleans()):
            query[name] = draw(values(name, schema))
    if draw(st.integers(0, 9)) == 0:
        query[draw(st.text(max_size=5))] = draw(st.text(max_size=5))
    return f"{path}?{urlencode(query)}"


def values(name: str, schema: dict[str, Any]) -> st.SearchStrategy[str]:
    """Return texts for an argument: such as its schema allows, and any."""
    kinds = {
        "boolean": st.sampled_from(["0", "1", "true", "false"]),
        "integer": st.integers(-1, 12).map(str) | st.integers().map(str),
    }
    right = st.sampled_from(schema.get("enum") or VALUES.get(name, [""]))
    return kinds.get(schema.get("type", ""), right) | st.text(max_size=20)


@settings(
    max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(data=st.data())
def test_all_answers_fit_the_document(
    shared_app: Flask,
    document: dict[str, Any],
    validators: dict[str, jsonschema_rs.Draft202012Validator],
    data: st.DataObject,
) -> None:
    operation = data.draw(st.sampled_from(list(operations(document))))
    address = data.draw(addresses(operation))
    answer = shared_app.test_client().get(address)
    if answer.status_code == 200:
        validators[operation["operationId"]].validate(answer.get_json())
    else:
        assert answer.status_code in (400, 404, 501), (address, answer.text)
        validators["error"].validate(answer.get_json())


def test_document_is_enough_to_play_a_game(serve: Serve) -> None:
    client = DescribedClient(f"{serve()}/api/openapi.json")
    puzzle = client.call("list_puzzles")["puzzles"][0]
    position, moves = puzzle["start"], 0
    while (hint := client.call("show_hint", puzzle_id=puzzle["id"], position=position))["verdict"] == "live":
        ends, steps = (
            hint["step"],
            client.call("show_position", puzzle_id=puzzle["id"], position=position)["steps"],
        )
        step = next(each for each in steps if (each["from"], each["to"]) == (ends["from"], ends["to"]))
        position, moves = step["position"], moves + step["cost"]
    assert (hint["verdict"], moves) == ("solved", 7)
    events = client.call("show_search", puzzle_id=puzzle["id"], position=puzzle["start"], method="corners")
    assert (events[-1]["event"], events[-1]["limit"]) == ("solved", 7)
    with pytest.raises(Refused, match="'oo'"):
        client.call("show_hint", puzzle_id=puzzle["id"], position="oo")


@pytest.mark.parametrize(
    "path", ["puzzles/hoppers/positions/oooooo.oooooo/trace?limit=null", "puzzles/hoppers/line?lines=0-6"]
)
def test_arguments_that_the_document_lacks_are_refused(shared_app: Flask, path: str) -> None:
    answer = shared_app.test_client().get(f"/api/{path}")
    assert answer.status_code == 400 and path.rpartition("?")[2] in answer.get_json()["error"]["message"]


def test_parameters_say_what_they_may_be(document: dict[str, Any], shared_app: Flask) -> None:
    """A tag for each operation, and the values or the form of each text, or an example."""
    tags = {tag["name"] for tag in document["tags"]}
    assert {tag for each in operations(document) for tag in each["tags"]} == tags
    assert "ndjson" in document["info"]["description"]
    client = shared_app.test_client()
    for operation in operations(document):
        parameters = {each["name"]: each for each in operation["parameters"]}
        for name in {"puzzle_id", "deck_id", "name", "method", "lang"} & parameters.keys():
            assert parameters[name]["schema"].get("enum"), name
        path = operation["path"]
        for name, parameter in parameters.items():
            example = parameter.get("example")
            assert example is None or re.search(parameter["schema"].get("pattern", ""), example)
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", example)
        if not path.endswith("/search") and "lessons" not in path:
            assert client.get(path).status_code == 200, path
    (listing,) = (each for each in operations(document) if each["operationId"] == "list_solutions")
    (limit,) = (each["schema"] for each in listing["parameters"] if each["name"] == "limit")
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (0, 100, 100)
