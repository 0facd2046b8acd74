"""What a script says it needs, by inline metadata (PEP 723)."""

import hashlib
import re
import tomllib
from dataclasses import dataclass

from pabal.apps.rules.scripts.errors import ScriptUnusable
from pabal.apps.rules.scripts.model import ScriptReason

_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_OPENING = re.compile(r"(?m)^# /// script\s*$")
_CLAUSE = re.compile(r"\s*(?P<how>>=|<=|==|!=|~=|>|<)\s*(?P<version>\d+(?:\.\d+)*)(?P<any>\.\*)?\s*")
_TOML_LINE = re.compile(r"line (\d+)")


@dataclass(frozen=True)
class Needed:
    """Nothing, or packages and a version of Python. `lock` is what lies beside the script, `check.py.lock`."""

    dependencies: tuple[str, ...] = ()
    requires_python: str | None = None
    block: str = ""
    lock: bytes | None = None

    def key(self, python: str) -> str:
        """Of the environment: what is asked for, what is locked, and the interpreter it was made with."""
        parts = (self.block.encode(), self.lock or b"", python.encode())
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]

    def runs_on_plain(self, version: tuple[int, ...]) -> bool:
        return not self.dependencies and (self.requires_python is None or fits(self.requires_python, version))


class BlockBroken(ScriptUnusable, code="script_block_broken"):
    """The script's inline metadata cannot be read."""

    def __init__(self, fact: str, line: int) -> None:
        self.line, self.what = line, fact
        super().__init__(ScriptReason.METADATA_BROKEN, f"line {line}: {fact}")


def read(content: bytes, *, lock: bytes | None = None) -> Needed:
    text = _decode(content)
    blocks = [match for match in _BLOCK.finditer(text) if match["type"] == "script"]
    openings = [_line_of(text, match.start()) for match in _OPENING.finditer(text)]
    if len(openings) > 1:
        raise BlockBroken('there is a second block "# /// script"', openings[1])
    if not blocks:
        if openings:
            raise BlockBroken('the block "# /// script" is not closed by "# ///"', openings[0])
        return Needed(lock=lock)
    block = "".join(
        line[2:] if line.startswith("# ") else line[1:] for line in blocks[0]["content"].splitlines(keepends=True)
    )
    return _check(block, first=openings[0] + 1, lock=lock)


def _check(block: str, *, first: int, lock: bytes | None) -> Needed:
    try:
        table = tomllib.loads(block)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        raise BlockBroken(str(error), first + (int(found[1]) - 1 if found else 0)) from error
    dependencies, requires = table.get("dependencies", []), table.get("requires-python")
    if not isinstance(dependencies, list) or not all(isinstance(one, str) for one in dependencies):
        raise BlockBroken("dependencies must be a list of texts", first)
    if requires is not None and not isinstance(requires, str):
        raise BlockBroken("requires-python must be a text", first)
    if requires is not None:
        try:
            fits(requires, (3, 11))
        except ValueError as error:
            raise BlockBroken(str(error), first) from error
    return Needed(tuple(dependencies), requires, block, lock)


def fits(requires: str, version: tuple[int, ...]) -> bool:
    """Whether a version satisfies clauses such as `>=3.11,<4`."""
    clauses = [_CLAUSE.fullmatch(one) for one in requires.split(",") if one.strip()]
    if None in clauses:
        raise ValueError(f"requires-python is not understood: {requires!r}")
    return all(_satisfies(match, version) for match in clauses if match is not None)


def _satisfies(clause: "re.Match[str]", version: tuple[int, ...]) -> bool:
    wanted = tuple(map(int, clause["version"].split(".")))
    short = version[: len(wanted)]
    match clause["how"]:
        case "==":
            return short == wanted if clause["any"] else _padded(version, wanted) == _padded(wanted, version)
        case "!=":
            return short != wanted
        case "~=":
            return version >= wanted and version[: len(wanted) - 1] == wanted[:-1]
        case ">=":
            return version >= wanted
        case "<=":
            return short <= wanted
        case ">":
            return short > wanted
        case _:
            return version < wanted


def _padded(version: tuple[int, ...], like: tuple[int, ...]) -> tuple[int, ...]:
    return version + (0,) * (len(like) - len(version))


def _decode(content: bytes) -> str:
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BlockBroken("it is not written in UTF-8", line) from error


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
