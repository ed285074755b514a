"""Machine code of this process in a folder of a test."""

from pathlib import Path

import pytest

from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.machine_code import MachineCode


def use_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> MachineCode:
    """Make this process keep its machine code in `folder` until the test ends; return its files."""
    monkeypatch.setattr(MACHINE_CODE, "__dict__", vars(MachineCode(folder)))
    return MACHINE_CODE
