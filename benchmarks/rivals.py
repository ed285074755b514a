"""Rivals in C, compiled with the highest optimisation for this machine."""

import shutil
import subprocess
from pathlib import Path

OPTIONS = ("-O3", "-march=native")


def compile_c(name: str, folder: Path) -> str | None:
    """Compile `benchmarks/<name>.c` into `folder`; return the program, or None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        return None
    program, source = str(folder / name), str(Path(__file__).with_name(f"{name}.c"))
    subprocess.run([compiler, *OPTIONS, "-o", program, source], check=True)
    return program
