"""`python -m server`: the commands."""

from .commands import main

if __name__ == "__main__":
    main(prog_name="python -m server")
