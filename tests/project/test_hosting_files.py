"""Files for hosting and for the services around the repository: they parse, and what they name exists."""

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hoppers.cli.main import COMMANDS as ALL_COMMANDS
from hoppers.runtime import __version__
from hoppers.web.settings import SETTINGS, read_settings
from tests import ROOT

PACKAGING, WORKFLOWS = ROOT / "packaging", ROOT / ".github" / "workflows"
COMPOSE: dict[str, Any] = yaml.safe_load((PACKAGING / "compose.yaml").read_text())
CONTAINERFILE = (PACKAGING / "Containerfile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def instructions(name: str) -> list[str]:
    """Return the arguments of the instructions of a kind, with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE))
    return re.findall(rf"^{name} (.*)$", text, re.MULTILINE)


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text())
    return found


def commands(text: str) -> list[list[str]]:
    """Return the words of each call of the program in a shell command."""
    words = [shlex.split(part) for part in re.split(r"&&|\n", text)]
    return [part for part in words if part and Path(part[0]).name == "hoppers"]


def settings_of(variables: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name.startswith("HOPPERS_")}


@pytest.mark.parametrize("path", sorted([*WORKFLOWS.glob("*.yml"), ROOT / ".github" / "dependabot.yml"]))
def test_yaml_of_services_parses(path: Path) -> None:
    assert yaml.safe_load(path.read_text())


def test_every_step_of_the_workflows_does_one_thing() -> None:
    for path in WORKFLOWS.glob("*.yml"):
        for job in workflow(path.name)["jobs"].values():
            assert "runs-on" in job
            for step in job["steps"]:
                assert ("run" in step) != ("uses" in step)
                assert all(call[1] in ALL_COMMANDS for call in commands(step.get("run", "")))


def test_workflows_name_files_that_exist() -> None:
    text = "".join(path.read_text() for path in WORKFLOWS.glob("*.yml"))
    names = re.findall(r"(?:--ignore=|--file |--constraint |--requirement |python3 )([\w./-]+)", text)
    assert {"dev.py", "constraints.txt", "packaging/Containerfile"} <= set(names)
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_workflows_try_the_pythons_that_the_package_names() -> None:
    matrix = workflow("test.yml")["jobs"]["systems"]["strategy"]["matrix"]
    named = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert set(named) <= set(matrix["python"]) and len(matrix["python"]) == 4
    assert all(SpecifierSet(PROJECT["requires-python"]).contains(version) for version in matrix["python"])
    assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}


def test_container_has_valid_settings_and_commands() -> None:
    pairs = re.findall(r'(\w+)=("[^"]*"|\S+)', " ".join(instructions("ENV")))
    settings = settings_of({name: value.strip('"') for name, value in pairs})
    assert settings["HOPPERS_HOST"] == "0.0.0.0" and read_settings(settings)
    assert [call[1:] for run in instructions("RUN") for call in commands(run)] == [["warm"]]
    (entry,), (command,) = instructions("ENTRYPOINT"), instructions("CMD")
    assert (yaml.safe_load(entry), yaml.safe_load(command)) == (["hoppers"], ["serve"])
    extras = re.findall(r"\[([\w,]+)\]\"", " ".join(instructions("RUN")))
    assert set(extras[0].split(",")) <= set(PROJECT["optional-dependencies"])


def test_container_compiles_for_the_processor_of_its_architecture() -> None:
    stages = [stage.split(" AS ") for stage in instructions("FROM")]
    image = "docker.io/library/python:3.13-slim"
    kinds = [[image, "for-amd64"], [image, "for-arm64"], ["for-${TARGETARCH}", "base"]]
    assert stages == [*kinds, ["base", "build"], ["base"]]
    assert instructions("ARG") == ["CPU=x86-64-v3", "CPU=neoverse-n1"]
    own, also, base, final = instructions("ENV")
    assert own == also == "NUMBA_CPU_NAME=${CPU}"
    assert base == 'NUMBA_CPU_FEATURES="" HOPPERS_CACHE=/var/cache/hoppers' and "HOPPERS_CACHE" not in final


def test_services_write_only_where_they_may() -> None:
    for name in ("server-1", "server-2", "worker-1", "worker-2", "redis"):
        service = COMPOSE["services"][name]
        assert service["read_only"] and service["tmpfs"][0].partition(":")[0] == "/tmp"


def test_container_gets_what_the_wheel_is_made_from() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line[1:] for line in lines if line.startswith("!")}
    assert "*" in lines and all((ROOT / name).exists() for name in allowed)
    needed = {"README.md", "LICENSE", "LICENSES", "THIRD_PARTY_LICENSES.txt", "packaging/hoppers.1"}
    needed |= {"pyproject.toml", "hatch_build.py", "server", "templates"}
    assert needed <= allowed


def test_fleet_of_the_compose_file_is_complete() -> None:
    services = COMPOSE["services"]
    roles = {name: (service.get("command") or ["serve"])[0] for name, service in services.items()}
    assert sorted(role for role in roles.values() if role in ALL_COMMANDS) == ["serve"] * 2 + ["worker"] * 2
    for service in services.values():
        environment = settings_of(service.get("environment", {}))
        assert set(environment) <= set(SETTINGS)
        values = {name: re.sub(r"\$\{\w+:\?\}", "example", value) for name, value in environment.items()}
        assert read_settings(values)
        assert set(service.get("depends_on", [])) <= set(services)
        for volume in service.get("volumes", []):
            source = volume.rpartition(":")[0].rpartition(":")[0]
            assert source.startswith("${") or (PACKAGING / source).is_file()


def edited(service: str, path: str, **environment: str) -> str:
    """Return the file `path` as the command of a service edits it."""
    script: str = COMPOSE["services"][service]["command"][2].replace("$$", "$")
    edit = script.partition(" > ")[0].rpartition(" ")[0]
    done = subprocess.run(
        ["sh", "-c", f"{edit} {PACKAGING / path}"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_compose_file_puts_servers_and_name_into_the_site() -> None:
    site = edited("nginx", "nginx.conf", NAME="puzzles.test")
    upstream = site.split("upstream hoppers {")[1].split("}")[0]
    assert re.findall(r"^    server (\S+);", upstream, re.MULTILINE) == ["server-1:8000", "server-2:8000"]
    assert "hoppers.example" not in site and site.count("server_name puzzles.test;") == 2


def test_compose_file_puts_the_password_into_redis() -> None:
    settings = edited("redis", "redis.conf", PASSWORD="s3cret")
    assert "change-this" not in settings and "\nuser hoppers on >s3cret ~hoppers:*" in settings
    assert re.findall(r"^bind .*", settings, re.MULTILINE) == ["bind 0.0.0.0"]


def test_hooks_run_tests_that_exist() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    names = [word for hook in repository["hooks"] for word in hook["entry"].split() if "tests/" in word]
    assert "tests/project/test_style.py" in names
    assert [name for name in names if not (ROOT / name).is_file()] == []


def test_publishing_refuses_a_tag_that_is_not_the_version() -> None:
    steps = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text())["jobs"]["build"]["steps"]
    names = [step.get("name", step.get("run")) for step in steps]
    assert names.index("The tag is the version") < names.index("uv build")
    check = next(step["run"] for step in steps if step.get("name") == "The tag is the version")
    for tag, is_right in ((f"v{__version__}", True), (__version__, False), ("v9", False), ("", False)):
        done = subprocess.run(["bash", "-c", check], cwd=ROOT, env={**os.environ, "GITHUB_REF_NAME": tag})
        assert (done.returncode == 0) == is_right, tag


def test_citation_has_version_and_day_of_the_release() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    released, day = re.findall(r"^## ([\d.]+) – (.*)$", changes, re.MULTILINE)[0]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == released
    assert f"{citation['date-released']:%-d %B %Y}" == day
    between = Version(__version__).is_devrelease and Version(__version__) > Version(released)
    assert __version__ == released or between


def test_citation_names_only_works_that_the_sources_name() -> None:
    sources = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    for reference in references:
        names = [author.get("family-names", author.get("alias")) for author in reference["authors"]]
        assert all(name in sources for name in names), reference["title"]
        assert str(reference.get("year", "")) in sources
