"""Command that builds the bundled pattern databases: `python -m hoppers.puzzles.sliding.build_bundled`.

The file it writes is identical, bit for bit, to the one in the repository.
"""

import lzma

import click

from hoppers.puzzles.sliding import pattern_databases


@click.command()
def build_bundled() -> None:
    """Build the pattern databases and write their file. Most of the half minute is spent on compression."""
    content = lzma.compress(pattern_databases.encode(*pattern_databases.build()), preset=5)
    same = pattern_databases.DATA.exists() and pattern_databases.DATA.read_bytes() == content
    pattern_databases.DATA.write_bytes(content)
    click.echo(f"{pattern_databases.DATA.name}: {len(content):,} bytes, {'as before' if same else 'changed'}")


if __name__ == "__main__":
    build_bundled()
