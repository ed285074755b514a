"""Progress of the compilation: a terminal line that is rewritten, plain lines elsewhere, or the log."""

import logging
import sys

import click

from hoppers.jobs.compiler import Compiler

log = logging.getLogger(__name__)

LINES = 10  # printed during a compilation where lines cannot be rewritten
REWRITE = "\x1b[2K"  # clears the line; the carriage return after the text lets the next output replace it


def show_compilation(compiler: Compiler) -> None:
    """Print the progress of a compiler on standard output; print nothing if nothing has to be compiled."""
    shown = -1

    def show() -> None:
        nonlocal shown
        done = compiler.total - compiler.remaining()
        is_terminal, is_over = sys.stdout.isatty(), done == compiler.total
        step = done if is_terminal else LINES * done // compiler.total
        if step <= shown:
            return
        shown = step
        text = f"Compiled {done} of {compiler.total} parts of the solver, once for all starts."
        if is_terminal:
            click.echo(f"{REWRITE}{text}" + ("" if is_over else "\r"), nl=is_over)
        else:
            click.echo(text)

    if compiler.total:
        compiler.listeners.append(show)
        show()


def log_compilation(compiler: Compiler) -> None:
    """Log the beginning and the end of a compilation."""

    def note() -> None:
        if not compiler.remaining():
            log.info("All parts of the solver are compiled.")

    if compiler.total:
        log.info("Compiling %d parts of the solver; the server answers meanwhile.", compiler.total)
        compiler.listeners.append(note)
