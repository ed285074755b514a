"""`python -m server.puzzles.sliding.ship` makes the shipped pattern databases anew, bit for bit."""

import lzma

import click

from . import patterns


@click.command()
def ship() -> None:
    """Build the tables from nothing and write their file (about half a minute, most of it compressing)."""
    content = lzma.compress(patterns.encode(*patterns.build()), preset=5)
    same = patterns.DATA.exists() and patterns.DATA.read_bytes() == content
    patterns.DATA.write_bytes(content)
    click.echo(f"{patterns.DATA.name}: {len(content):,} bytes, {'as before' if same else 'changed'}")


if __name__ == "__main__":
    ship()
