"""Programs that a test needs and that not every machine has: never a silent pass."""

from __future__ import annotations

import os
import shutil

import pytest

#: The program that runs a skeleton, and the Debian package that has it.
PROGRAMS = {
    "python": ("python3", "python3"),
    "node": ("node", "nodejs"),
    "php": ("php", "php-cli"),
    "go": ("go", "golang-go"),
}
#: The source of each skeleton.
SOURCES = {"python": "driver.py", "node": "driver.js", "php": "driver.php", "go": "main.go"}


def need(program: str, package: str) -> str:
    """Give the path of a program, or skip the test; fail it where TCK_REQUIRE says that the program must be there."""
    found = shutil.which(program)
    if found is not None:
        return found
    message = f"{program} is missing; install it with: apt-get install {package}"
    if program in os.environ.get("TCK_REQUIRE", "").split(","):
        pytest.fail(f"{message} (TCK_REQUIRE names it)", pytrace=False)
    pytest.skip(message)
