"""Inline metadata is read as PEP 723 says, and what is wrong with it has a line."""

import pytest

from pabal.apps.rules.scripts.metadata import BlockBroken, fits, read

BLOCK = """#!/usr/bin/env python
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "httpx<1",
#   "rich",
# ]
#
# [tool.other]
# x = "y"
# ///
import httpx
"""


def test_a_block_names_packages_and_a_python():
    needed = read(BLOCK.encode())

    assert (needed.dependencies, needed.requires_python) == (("httpx<1", "rich"), ">=3.11")


def test_windows_line_ends_change_nothing():
    assert read(BLOCK.replace("\n", "\r\n").encode()).dependencies == ("httpx<1", "rich")


def test_a_script_without_a_block_needs_nothing():
    assert read(b"print(1)").runs_on_plain((3, 11, 7))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\n# /// script\n# dependencies = [\n# ///\n", 3),
        ("# /// script\n# dependencies = ['rich']\nimport rich\n", 1),
        ("# /// script\n# x = 1\n# ///\n\n# /// script\n# x = 1\n# ///\n", 5),
        ("# /// script\n# dependencies = 'rich'\n# ///\n", 2),
        ("# /// script\n# requires-python = 3.11\n# ///\n", 2),
        ("# /// script\n# requires-python = 'newest'\n# ///\n", 2),
    ],
)
def test_what_is_wrong_with_a_block_has_its_line(text: str, line: int):
    with pytest.raises(BlockBroken) as broken:
        read(text.encode())

    assert broken.value.line == line


def test_another_encoding_is_refused_with_its_line():
    with pytest.raises(BlockBroken, match="line 2"):
        read("x = 1\n# 값\n".encode("cp949"))


@pytest.mark.parametrize(
    ("requires", "is_fit"),
    [
        (">=3.11", True),
        (">=3.11,<4", True),
        (">= 3.12", False),
        ("==3.11.*", True),
        ("==3.11.7", True),
        ("==3.11", False),
        ("~=3.10", True),
        ("~=3.10.1", False),
        ("<3.11", False),
        ("<=3.11", True),
        (">3.11", False),
        ("!=3.11.*", False),
        ("", True),
    ],
)
def test_a_python_fits_what_is_required_or_does_not(requires: str, is_fit: bool):
    assert fits(requires, (3, 11, 7)) is is_fit


def test_another_lock_or_block_is_another_environment():
    keys = {
        read(b"x = 1").key("python3.11"),
        read(BLOCK.encode()).key("python3.11"),
        read(BLOCK.encode()).key("python3.12"),
        read(BLOCK.encode(), lock=b"version = 1").key("python3.11"),
        read(BLOCK.encode() + b"\nprint()").key("python3.11"),
    }

    assert len(keys) == 4
