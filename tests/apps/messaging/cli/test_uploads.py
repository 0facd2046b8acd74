"""What saving needs of the line: several files behind one option, and texts out of files."""

from pathlib import Path

import pytest

from pabal.apps.messaging.cli.uploads import read_text, spread
from pabal.apps.messaging.errors import BadFile


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["--images1", "a", "b", "--daily", "9"], ["--images1", "a", "--images1", "b", "--daily", "9"]),
        (["12", "--images2", "a"], ["12", "--images2", "a"]),
        (["--images1=a", "--text", "x", "y"], ["--images1=a", "--text", "x", "y"]),
    ],
)
def test_several_files_stand_behind_one_option(typed: list[str], read: list[str]) -> None:
    assert spread(typed, ("--images1", "--images2")) == read


def test_a_text_is_as_typed_or_out_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeff첫 줄\r\n둘째\r\n".encode())
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe")

    assert read_text(f"@{tmp_path}/a.txt") == "첫 줄\n둘째"
    assert (read_text("@@here"), read_text("here")) == ("@here", "here")
    for name in ("b.txt", "c.txt"):
        with pytest.raises(BadFile):
            read_text(f"@{tmp_path}/{name}")
