"""Settings: what is permitted, what is refused and how, and that every command refuses it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from hoppers.cli.main import COMMANDS as ALL_COMMANDS
from hoppers.cli.main import main
from hoppers.fleet import check_address
from hoppers.web.settings import (
    NAMES_OF_TESTS,
    PREFIX,
    SETTINGS,
    SettingError,
    Settings,
    read_settings,
    text_of,
)
from tests import ROOT
from tests.support.socket_client import TIMEOUT_SECONDS

WRONG = {
    "RESPONSE_CACHE_BYTES": ["-1", "30 MB", "1_000", "0x10"],
    "API_RATE": ["5", "fast", "0 per second", "5 per second;", "5 per year", "9999999999 per second"],
    "MAX_CONTENT_LENGTH": ["0", "-1", "16k"],
    "MAX_MESSAGE_LENGTH": ["0", "1e99"],
    "CONNECTIONS": ["abc", "0", "-5", "1.5", "", " ", "3001", "٥", "9" * 5_000, "\udcff"],
    "CONNECTIONS_PER_ADDRESS": ["0", "none"],
    "MESSAGES_PER_SECOND": ["0", "nan", "inf", "-20"],
    "MESSAGES_AT_ONCE": ["0", "many"],
    "PING_SECONDS": ["0", "-25", "nan", "25s"],
    "QUEUE_URL": ["http://x", "localhost", "redis:/x", "redis://h/name", "redis://h 1"],
    "REJOIN_SECONDS": ["-1", "a minute"],
    "SEARCHES": ["-1", "0", "ten"],
    "SEARCH_SECONDS": ["abc", "0", "1e400"],
    "SEARCH_NODES": ["0", "all"],
    "SEARCH_THREADS": ["0", "-1", "auto", "4.5"],
    "ANSWERS_BYTES": ["-1", "100MB"],
    "LOG": ["JSON", "", "xml"],
    "HOST": ["", "  "],
    "PORT": ["", "-1", "65536", "http", "tcp://10.0.0.1:8000"],
    "HOSTS": ["puzzles.example:80", "http://puzzles.example", "*.example", "né.example"],
    "METRICS": ["everyone", "Local", "", "true"],
    "MODULES": ["yes", "2", ""],
    "WARM_UP": ["on", "off"],
    "PROXIES": ["yes", "true", "-1", "11", "127.0.0.1"],
}
"""Values that are not permitted, for all settings but the folders, which may have any name."""


def test_every_setting_has_wrong_values() -> None:
    assert {PREFIX + name for name in WRONG} == set(SETTINGS) - {"HOPPERS_CACHE", "HOPPERS_POSITIONS"}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_wrong_value_is_refused_in_a_sentence(name: str, value: str) -> None:
    variable = PREFIX + name
    with pytest.raises(SettingError) as raised:
        read_settings({variable: value})
    sentence = str(raised.value)
    assert repr(f"{variable}={value}"[:80]) in sentence
    assert sentence.endswith(f"is not permitted: {variable} is {SETTINGS[variable].permitted}.")
    assert "\n" not in sentence


def test_folder_of_positions_must_exist(tmp_path: Path) -> None:
    assert Settings().positions_folder() is None
    assert Settings(positions=str(tmp_path)).positions_folder() == tmp_path
    with pytest.raises(SettingError, match=r"'HOPPERS_POSITIONS=.* is not a folder\."):
        Settings(positions=str(tmp_path / "missing")).positions_folder()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("HOPPERS_CONECTIONS", "HOPPERS_CONNECTIONS"),
        ("HOPPERS_PROXY", "HOPPERS_PROXIES"),
        ("HOPPERS_SEARCH", "HOPPERS_SEARCHES"),
        ("hoppers_metrics", "HOPPERS_METRICS"),
        ("HOPPERS_CONNECTIONS_", "HOPPERS_CONNECTIONS"),
        ("HOPPERS_CONNECTIONS__PER__ADDRESS", "HOPPERS_CONNECTIONS_PER_ADDRESS"),
    ],
)
def test_unknown_name_is_refused_with_the_nearest_one(name: str, nearest: str) -> None:
    with pytest.raises(SettingError) as raised:
        read_settings({name: "5"})
    assert str(raised.value) == f"'{name}=5' is not a setting. Did you mean {nearest}?"


def test_name_far_from_all_settings_is_refused() -> None:
    for name in ("HOPPERS_", "HOPPERS_XYZZY", "HOPPERS_SECRET_KEY"):
        with pytest.raises(SettingError, match=f"'{name}=1' is not a setting"):
            read_settings({name: "1"})


def test_other_variables_are_not_read() -> None:
    strangers = {
        "PATH": "x",
        "HOPPER_PROXIES": "x",
        "XHOPPERS_PROXIES": "x",
        **dict.fromkeys(NAMES_OF_TESTS, "x"),
    }
    assert read_settings(strangers) == Settings()


def test_password_is_not_quoted() -> None:
    for name in ("HOPPERS_QUEUE_URL", "HOPPERS_QUEUE_ULR"):
        with pytest.raises(SettingError, match="…@host") as raised:
            read_settings({name: "amqp://me:secret@host?password=secret&db=1"})
        assert "secret" not in str(raised.value) and "db=1" in str(raised.value)


def test_defaults_and_what_is_shown_of_them_are_permitted() -> None:
    for variable, setting in SETTINGS.items():
        assert getattr(read_settings({variable: text_of(setting.default)}), setting.field) == setting.default


def test_limits_of_numbers_are_those_stated() -> None:
    for variable, setting in SETTINGS.items():
        meta = get_args(setting.type)[1]
        if meta.ge is None:
            continue
        assert setting.permitted.endswith(f" from {meta.ge} to {meta.le}")
        for end in (meta.ge, meta.le):
            assert getattr(read_settings({variable: str(end)}), setting.field) == end
        for beyond in (meta.ge - 1, meta.le + 1):
            with pytest.raises(SettingError):
                read_settings({variable: str(beyond)})


def test_environment_replaces_defaults_and_overrides_replace_both() -> None:
    environment = {"HOPPERS_PROXIES": "1", "HOPPERS_METRICS": "all", "HOPPERS_WARM_UP": "False"}
    found = read_settings(environment, {"METRICS": "off", "SEARCH_SECONDS": 0.2})
    assert (found.proxies, found.metrics, found.warm_up, found.search_seconds) == (1, "off", False, 0.2)
    with pytest.raises(SettingError, match="Did you mean HOPPERS_PROXIES"):
        read_settings({}, {"PROXYS": 1})


COMMANDS: list[list[str]] = [
    ["run", "--port", "0"],
    ["serve", "--port", "0"],
    ["worker"],
    ["warm"],
    ["solve", "hoppers"],
    ["puzzles"],
    ["positions", "english-33", "folder"],
    ["published", "--quick"],
    ["decide", "-", "0", "0"],
    ["settings"],
    ["data", "folder"],
]


def test_every_command_is_tried() -> None:
    assert {words[0] for words in COMMANDS} == set(ALL_COMMANDS)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("wrong", ["HOPPERS_CONNECTIONS=abc", "HOPPERS_CONECTIONS=5"])
def test_command_ends_with_2_and_one_line(words: list[str], wrong: str) -> None:
    name, _, value = wrong.partition("=")
    done = CliRunner().invoke(main, words, env={name: value})
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: '{wrong}' is no") and done.stderr.count("\n") == 1
    assert not done.stdout or words == ["settings"]


def test_help_and_version_need_no_valid_settings() -> None:
    wrong = {"HOPPERS_CONNECTIONS": "abc"}
    for words in (["--help"], ["--version"], *([name, "--help"] for name in ALL_COMMANDS)):
        assert CliRunner().invoke(main, words, env=wrong).exit_code == 0
    for name in ("run", "serve", "worker"):
        assert "`hoppers settings`" in CliRunner().invoke(main, [name, "--help"]).stdout


def test_settings_are_listed_with_meaning_default_and_value() -> None:
    environment = {"HOPPERS_PROXIES": "2", "HOPPERS_QUEUE_URL": "redis://me:secret@host/1"}
    listed = CliRunner().invoke(main, ["settings"], env=environment)
    assert listed.exit_code == 0
    for variable, setting in SETTINGS.items():
        given = f"\n{variable}={text_of(setting.default)}\n"
        assert given in f"\n{listed.stdout}" or variable in environment or variable in os.environ
        assert setting.meaning in listed.stdout
        assert f"{setting.permitted}; default: {text_of(setting.default) or 'empty'}" in listed.stdout
    assert "HOPPERS_PROXIES=2\n" in listed.stdout
    assert "HOPPERS_QUEUE_URL=redis://…@host/1\n" in listed.stdout


OPTIONS = "db, username, password, client_name"
NOT_OF_REDIS = {
    "redis://host:x/0": "its port is not a number from 0 to 65535",
    "redis://host:99999/0": "its port is not a number from 0 to 65535",
    "redis://host?db=x": "its option db has a value that is not permitted",
    "redis://host?db=-1": "its option db has a value that is not permitted",
    "redis://host?db=": "its option db has a value that is not permitted",
    "redis://host?colour=red": f"'colour' is not one of its options, which are {OPTIONS}",
    "redis://host?connection_class=x": f"'connection_class' is not one of its options, which are {OPTIONS}",
    "redis://host?socket_timeout=-5": f"'socket_timeout' is not one of its options, which are {OPTIONS}",
    "redis://host?ssl_ca_certs=x": f"'ssl_ca_certs' is not one of its options, which are {OPTIONS}",
    "unix:///tmp/x?protocol=9": f"'protocol' is not one of its options, which are {OPTIONS}",
    "rediss://host?ssl_cert_reqs=maybe": "its option ssl_cert_reqs has a value that is not permitted",
    "redis://[::1": "its host is neither a name nor an IP address",
}
"""Addresses that no Redis has, each with the reason."""


@pytest.mark.parametrize(("url", "reason"), NOT_OF_REDIS.items())
@pytest.mark.parametrize("words", [["serve", "--port", "0"], ["worker"]], ids=["serve", "worker"])
def test_address_that_redis_cannot_use_is_refused(url: str, reason: str, words: list[str]) -> None:
    done = CliRunner().invoke(main, words, env={"HOPPERS_QUEUE_URL": url, "HOPPERS_WARM_UP": "false"})
    assert done.exit_code == 2
    sentence = f"Error: 'HOPPERS_QUEUE_URL={url}' is not the address of a Redis: {reason}.\n"
    assert done.stderr == sentence


@pytest.mark.parametrize("url", ["unix:///run/redis?db=2&password=a%20b", "rediss://host?ssl_cert_reqs=none"])
def test_address_may_have_the_options_of_its_kind(url: str) -> None:
    check_address(read_settings({"HOPPERS_QUEUE_URL": url}).queue_url)


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_missing_redis_library_is_told_in_a_sentence(command: str) -> None:
    program = "import sys; from hoppers.__main__ import main; sys.modules['redis'] = None; main('hoppers')"
    environment = {**os.environ, "HOPPERS_QUEUE_URL": "redis://127.0.0.1:1/0", "HOPPERS_WARM_UP": "false"}
    done = subprocess.run(
        [sys.executable, "-c", program, command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: HOPPERS_QUEUE_URL needs the package redis: pip install 'hoppers[fleet]'.\n"
    )
