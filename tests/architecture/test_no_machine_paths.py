"""The project runs anywhere: no file names a package index or a path of somebody's machine."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, files, write

_FORBIDDEN = {
    "a package index": re.compile(
        r"\bpypi\.org\b|\bpythonhosted\.org\b|\bregistry\.(?:npmjs\.org|yarnpkg\.com)\b|\bfile:///opt\b"
        r"|(?<!-emit)(?:^|\s)--(?:extra-)?index-url[ =]\S|(?:^|\s)--find-links[ =]\S",
        re.MULTILINE,
    ),
    "a path of a machine": re.compile(r"(?<![\w.~/$)}-])/(?:work|root|home/\w+|Users/\w+)/[\w.]"),
}


def machine_faults(root: Path) -> list[str]:
    return [fault for path in _tracked(root) for fault in _faults_in(path, root)]


def test_no_file_names_an_index_or_a_machine():
    assert machine_faults(PROJECT) == []


@pytest.mark.parametrize(
    "text",
    [
        "https://pypi" + ".org/simple",
        "https://files.python" + "hosted.org/packages/x.whl",
        "--index" + "-url https://mirror.example/simple",
        "--find" + "-links=wheels",
        "https://registry.npm" + "js.org/htmx",
        "see /wo" + "rk/main/src",
        "'/ro" + "ot/.cache/x'",
        "/ho" + "me/min/pabal",
    ],
)
def test_a_file_that_does_is_caught(tmp_path: Path, text: str):
    write(tmp_path, "docs/install.md", f"First line\n{text}\n")

    [fault] = machine_faults(tmp_path)

    assert "docs/install.md:2" in fault


def test_other_paths_and_options_are_fine(tmp_path: Path):
    text = "docs/work/x, https://example.org/root/x, --no-emit-index-url --no-emit-find-links, /livez, $(HOME)/work/x"
    write(tmp_path, "Makefile", text)

    assert machine_faults(tmp_path) == []


def _faults_in(path: Path, root: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # a picture
        return
    for what, pattern in _FORBIDDEN.items():
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1
            yield f"{path.relative_to(root)}:{line}: {found[0].strip()} is {what}"


def _tracked(root: Path) -> list[Path]:
    """What git tracks or would; where there is no git, everything."""
    if not (root / ".git").exists():
        return list(files(root, "*"))
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    return [root / name for name in names if name and (root / name).is_file()]
