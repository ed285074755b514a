"""A client of any HTTP API that has an OpenAPI document. It knows nothing but the document's address."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urljoin
from urllib.request import urlopen

import jsonschema_rs


class Refused(Exception):
    """An answer other than 200. Its message is that of the error."""


class DescribedClient:
    """Calls the operations of a document by their names, and checks answers against their schemas."""

    def __init__(self, address: str) -> None:
        """`address`: URL of the document."""
        with urlopen(address) as answer:
            self._document = json.load(answer)
        self._base = urljoin(address, self._document["servers"][0]["url"])
        self._places = {item["get"]["operationId"]: path for path, item in self._document["paths"].items()}

    def call(self, name: str, **arguments: str) -> Any:
        """Return the checked answer of an operation: an object, or the list of those on its lines.

        Raise Refused for an answer other than 200, a ValueError for an argument or answer of another form.
        """
        path = self._places[name]
        operation = self._document["paths"][path]["get"]
        query = {}
        for parameter in operation["parameters"]:
            value = arguments.pop(parameter["name"], None)
            if value is None and parameter.get("required"):
                raise ValueError(f"{name} needs {parameter['name']}")
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(str(value), safe=""))
            elif value is not None:
                query[parameter["name"]] = value
        if arguments:
            raise ValueError(f"{name} has no argument {', '.join(arguments)}")
        [(media, content)] = operation["responses"]["200"]["content"].items()
        text = self._text(urljoin(self._base, path) + ("?" + urlencode(query) if query else ""))
        return self._checked(media, content["schema"], text)

    def _text(self, address: str) -> str:
        try:
            with urlopen(address) as answer:
                text: str = answer.read().decode()
                return text
        except HTTPError as error:
            raise Refused(json.load(error)["error"]["message"]) from None

    def _checked(self, media: str, schema: dict[str, Any], text: str) -> Any:
        validator = jsonschema_rs.Draft202012Validator({**self._document, **schema})
        parts = [text] if media == "application/json" else filter(None, text.splitlines())
        answers = [json.loads(part) for part in parts]
        for answer in answers:
            validator.validate(answer)
        return answers[0] if media == "application/json" else answers
