"""`python -m hoppers.puzzles.sliding.build_bundled` makes the shipped pattern databases anew, bit for bit."""

import lzma

import click

from hoppers.puzzles.sliding import pattern_databases


@click.command()
def ship() -> None:
    """Build the tables from nothing and write their file (about half a minute, most of it compressing)."""
    content = lzma.compress(pattern_databases.encode(*pattern_databases.build()), preset=5)
    same = pattern_databases.DATA.exists() and pattern_databases.DATA.read_bytes() == content
    pattern_databases.DATA.write_bytes(content)
    click.echo(f"{pattern_databases.DATA.name}: {len(content):,} bytes, {'as before' if same else 'changed'}")


if __name__ == "__main__":
    ship()
