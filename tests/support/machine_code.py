"""Machine code of this process in a folder of a test."""

import shutil
from pathlib import Path

import pytest

from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.machine_code import SOURCES_DIGEST, MachineCode


def use_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> MachineCode:
    """Make this process keep its machine code in `folder` until the test ends; return its files."""
    monkeypatch.setattr(MACHINE_CODE, "__dict__", vars(MachineCode(folder)))
    return MACHINE_CODE


def copied_to(cache: Path, *, markers: bool = True, left_out: str = "") -> Path:
    """Copy the machine code of this version to another cache folder; return the folder of the files.

    Files that another process is still writing have other names. `markers`: copy also what marks a part as
    stored; `left_out`: kernels to be compiled again, as a pattern of file names.
    """
    folder = cache / "machine-code" / SOURCES_DIGEST
    folder.mkdir(parents=True)
    for path in MACHINE_CODE.folder.iterdir():
        if path.suffix in (".kernel", ".stored")[: 1 + markers] and not (left_out and path.match(left_out)):
            shutil.copy(path, folder)
    return folder
