"""How the checks of this folder walk over a tree."""

from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CODE = ("src", "bench", "chaos", "tools")

_NOT_OURS = {".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}


def files(root: Path, *patterns: str, folders: tuple[str, ...] = ("",)) -> Iterator[Path]:
    """The files below root's folders that match one of the patterns, in a steady order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            ours = path.is_file() and not _NOT_OURS & set(path.relative_to(root).parts)
            if ours and any(path.match(pattern) for pattern in patterns):
                yield path


def write(root: Path, name: str, content: str) -> Path:
    """Plants a sample file, so that a check can be seen to catch it."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path
