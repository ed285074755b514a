"""What all commands share: they read the settings first, and end with a status that says how they ended."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from hoppers.cli import exit_status
from hoppers.runtime.extras import MissingExtra
from hoppers.web.settings import SettingError, read_settings

log = logging.getLogger(__name__)

ABOUT_SETTINGS = "Settings are read from the environment: `hoppers settings` lists them."


class BadInput(click.ClickException):
    """Bad input, reported in one line."""

    exit_code = exit_status.BAD_INPUT


class Failure(click.ClickException):
    """A failure, reported in one line."""

    exit_code = exit_status.FAILED


@contextmanager
def faults_as_statuses() -> Iterator[None]:
    """End the command with a status of its own for each kind of fault: no fault may look like an answer.

    A traceback is printed only of an unforeseen exception.
    """
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except SettingError as error:
        raise BadInput(str(error)) from error
    except BrokenPipeError:
        drop_output()
        raise click.exceptions.Exit(exit_status.OUTPUT_CLOSED) from None
    except OSError as error:
        drop_output()
        raise Failure(str(error)) from error
    except Exception as error:
        if isinstance(error, MissingExtra):
            raise Failure(str(error)) from error
        log.critical("the command failed", exc_info=True)
        raise click.exceptions.Exit(exit_status.FAILED) from None


def drop_output() -> None:
    """Send the standard output nowhere; else Python would try to write what is left of it when it ends."""
    with suppress(OSError, AttributeError):  # no file, as in tests; no output at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Command(click.Command):
    """A command that reads the settings before it runs; `click.pass_obj` hands them to it."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command; raise a SettingError if a setting is not valid."""
        context.obj = read_settings(os.environ)
        return super().invoke(context)


class Commands(click.Group):
    """All commands, each a `Command` (see `faults_as_statuses`)."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the arguments, and print help if they request it."""
        with faults_as_statuses():
            return super().make_context(*arguments, **more)

    def invoke(self, context: click.Context) -> Any:
        """Run the chosen command."""
        with faults_as_statuses():
            return super().invoke(context)
