"""All settings of the program: one typed record, read once from the environment and handed down.

A value that is not permitted, or an unknown name, is refused with a sentence that quotes it.
"""

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta

from hoppers.core.errors import quoted
from hoppers.core.model import prebuild_decoder

PREFIX = "HOPPERS_"
NAMES_OF_TESTS = ("HOPPERS_BROWSER",)
"""Names in the environment that only `dev.py` and the tests read."""

UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
"""Units of time in rates, in seconds."""
RATE = rf"\s*([1-9][0-9]{{0,8}})\s*(?:per|/)\s*([1-9][0-9]{{0,8}})?\s*({'|'.join(UNITS)})s?\s*"
"""Pattern of a rate, such as `10 per second`: amount, periods (None: one), unit."""

HOST = r"(?:[A-Za-z0-9_.-]+|\[?[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]?)"
"""Pattern of a host's name or IP address; `admission.allowed_hosts` is more exact."""

SWITCH = "true or false"
"""The permitted values of a setting of the type bool, in words."""

MAX_CONNECTIONS = 3_000
"""Most connections of all kinds that the HTTP server has at once."""


class SettingError(ValueError):
    """A setting is not valid. The message is a sentence that quotes it."""


def _meta(meaning: str, permitted: str, **constraints: Any) -> Meta:
    """Describe a setting: what it means, and its permitted values, in words and as constraints."""
    return Meta(description=meaning, extra={"permitted": permitted}, **constraints)


def _whole(meaning: str, least: int, most: int, unit: str = "") -> Meta:
    """Describe a whole number from `least` to `most`."""
    unit = f" of {unit}" if unit else ""
    return _meta(meaning, f"a whole number{unit} from {least} to {most}", ge=least, le=most)


def _seconds(meaning: str, least: float, most: int) -> Meta:
    """Describe a time from `least` to `most` seconds."""
    return _meta(meaning, f"a number of seconds from {least} to {most}", ge=least, le=most)


def _text(meaning: str, permitted: str, pattern: str) -> Meta:
    """Describe a text that the pattern matches as a whole."""
    return _meta(meaning, permitted, pattern=rf"\A(?:{pattern})\Z")


@prebuild_decoder
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings. The variable of each is its name in capitals after `HOPPERS_`."""

    response_cache_bytes: Annotated[
        int,
        _whole("size of the cache of pages and of answers about positions; 0: no cache", 0, 10**10, "bytes"),
    ] = 30_000_000
    api_rate: Annotated[
        str,
        _text(
            "most requests of one address; those for static files do not count",
            "rates such as 10 per second;60 per minute",
            f"{RATE}(?:[;,|]{RATE})*",
        ),
    ] = "1000 per second;60000 per minute"
    max_content_length: Annotated[int, _whole("largest body of a request", 1_024, 1 << 20, "bytes")] = 16_384
    max_message_length: Annotated[int, _whole("largest message over Socket.IO", 1_024, 1 << 20, "bytes")] = (
        16_384
    )
    connections: Annotated[int, _whole("most Socket.IO clients", 1, MAX_CONNECTIONS)] = 1_200
    connections_per_address: Annotated[
        int, _whole("most Socket.IO clients of one address", 1, MAX_CONNECTIONS)
    ] = 100
    messages_per_second: Annotated[
        float,
        _meta(
            "messages of one Socket.IO client, on average", "a number from 0.1 to 1000000", ge=0.1, le=10**6
        ),
    ] = 20
    messages_at_once: Annotated[
        int, _whole("most messages of one Socket.IO client after a pause", 1, 10**9)
    ] = 60
    ping_seconds: Annotated[
        float, _seconds("time between two pings; a client silent for twice as long has gone", 1, 3_600)
    ] = 25
    queue_url: Annotated[
        str,
        _text(
            "address of a Redis; searches then run on the workers of a fleet",
            "an address such as redis://127.0.0.1:6379/0, or empty",
            r"(?:rediss?://[^\s/?]*(?:/[0-9]*)?(?:\?\S*)?|unix://\S+)?",
        ),
    ] = ""
    rejoin_seconds: Annotated[
        float, _seconds("time that searches wait for a player who has lost the connection", 0, 86_400)
    ] = 60
    searches: Annotated[int, _whole("most searches of one client at the same time", 1, 10_000)] = 64
    search_seconds: Annotated[
        float, _seconds("longest running time of one search, without its time in the queue", 0.1, 10**7)
    ] = 900
    search_nodes: Annotated[int, _whole("most nodes of one search", 1, 10**15)] = 20_000_000_000
    search_threads: Annotated[int, _whole("threads that run searches and build tables", 1, 1_024)] = max(
        1, (os.cpu_count() or 1) - 1
    )
    answers_bytes: Annotated[
        int, _whole("size of the store of proved answers, on disk or in Redis; 0: none", 0, 10**12, "bytes")
    ] = 100_000_000
    host: Annotated[
        str,
        _text(
            "address that run and serve listen on, without --host",
            "an address or name of this machine; 0.0.0.0 is all of IPv4, :: is all",
            r"\s*\S.*",
        ),
    ] = "127.0.0.1"
    port: Annotated[
        int, _whole("port that run and serve listen on, without --port; 0: any free one", 0, 65_535)
    ] = 8_000
    hosts: Annotated[
        str,
        _text(
            "names under which the server is reached; empty: those of this machine",
            "names such as puzzles.example,www.puzzles.example, without ports, or empty",
            rf"\s*(?:{HOST}\s*)?(?:,\s*(?:{HOST}\s*)?)*",
        ),
    ] = ""
    metrics: Annotated[
        Literal["local", "all", "off"],
        _meta("who may read /metrics: this machine, anyone, or no one", "local, all or off"),
    ] = "local"
    log: Annotated[
        Literal["text", "json", "short"],
        _meta(
            "log of serve and worker: lines of text, JSON, or only warnings, without times",
            "text, json or short",
        ),
    ] = "text"
    modules: Annotated[
        bool, _meta("serve scripts and styles from static/, not as a bundle, for development", SWITCH)
    ] = False
    warm_up: Annotated[
        bool, _meta("load kernels in the background; until then most verdicts are unknown", SWITCH)
    ] = True
    proxies: Annotated[int, _whole("trusted proxies, whose X-Forwarded headers are used", 0, 10)] = 0
    positions: Annotated[
        str,
        _meta("folder of the files of hoppers positions, which answer every position", "a folder, or empty"),
    ] = ""
    cache: Annotated[
        str,
        _meta("folder of machine code, tables and answers", "a folder, or empty: the user's cache folder"),
    ] = ""

    def positions_folder(self) -> Path | None:
        """Return the folder of `positions`, or None; raise a SettingError if it is not a folder."""
        folder = Path(self.positions)
        if self.positions and not folder.is_dir():
            raise SettingError(f"{_pair('HOPPERS_POSITIONS', self.positions)} is not a folder.")
        return folder if self.positions else None


class Setting(NamedTuple):
    """The description of one setting."""

    field: str
    """Name in the record."""
    type: Any
    default: Any
    meaning: str
    permitted: str
    """The permitted values, in words."""


def _descriptions() -> Iterator[tuple[str, Setting]]:
    """Yield the variable and the description of each setting, in the order of the record."""
    types = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        (meta,) = get_args(types[field.name])[1:]
        permitted = meta.extra["permitted"]
        yield (
            PREFIX + field.name.upper(),
            Setting(field.name, types[field.name], field.default, meta.description, permitted),
        )


SETTINGS = dict(_descriptions())
"""The descriptions of all settings, by their names in the environment."""


def read_settings(environment: Mapping[str, str], overrides: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings: their defaults, replaced by the environment, replaced by `overrides`.

    `overrides`: values by names without `HOPPERS_`, such as `{"PROXIES": 1}`.

    Raises:
        SettingError: a name is unknown, or a value is not permitted.
    """
    given: dict[str, Any] = {name: value for name, value in environment.items() if _is_ours(name)}
    given |= {PREFIX + name: value for name, value in (overrides or {}).items()}
    return Settings(**{SETTINGS[_known(name, given)].field: _read(name, given[name]) for name in given})


def text_of(value: Any) -> str:
    """Return the value of a setting as it is written in the environment."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def without_password(text: str) -> str:
    """Return `text` without the name and password of a URL in it, before its host or in its query."""
    text = re.sub(r"(?<=://)[^/?]*@", "…@", text)
    return re.sub(r"([?&](?:username|password)=)[^&]*", r"\1…", text)


def _is_ours(name: str) -> bool:
    """Return whether a name in the environment begins like a setting, in capitals or not."""
    return name.upper().startswith(PREFIX) and name not in NAMES_OF_TESTS


def _known(name: str, given: Mapping[str, Any]) -> str:
    """Return `name`; raise a SettingError that suggests the nearest setting if it is unknown."""
    if name in SETTINGS:
        return name
    names = {setting.removeprefix(PREFIX): setting for setting in SETTINGS}
    close = difflib.get_close_matches(name.upper().removeprefix(PREFIX), names, 1)
    advice = f"Did you mean {names[close[0]]}?" if close else "`hoppers settings` lists them all."
    raise SettingError(f"{_pair(name, given[name])} is not a setting. {advice}")


def _read(name: str, value: Any) -> Any:
    """Return the value of a setting in its type; raise a SettingError if it is not permitted."""
    setting = SETTINGS[name]
    try:
        return msgspec.convert(value, setting.type, strict=False)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise SettingError(
            f"{_pair(name, value)} is not permitted: {name} is {setting.permitted}."
        ) from error


def _pair(name: str, value: Any) -> str:
    return quoted(f"{name}={without_password(text_of(value))}")
