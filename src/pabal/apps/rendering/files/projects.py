"""Which compositions an After Effects project holds, read from the file itself: without After Effects, within bounds.

An .aep is RIFX: chunks of a name, a size and a content. Folders (Fold, Sfdr) hold items; an item says its kind in
`idta` and its name in the `Utf8` behind it. An .aepx is the same as XML. Only that much is read: what is unknown is
skipped, and of a project that is not understood nothing is concluded.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.parsers import expat

from pabal.apps.rendering.files.errors import NotProject
from pabal.apps.rendering.files.watching import Meter, run_watched

PATIENCE_SECONDS = 5.0
MOST_CHUNKS = 500_000
MOST_DEPTH = 100
LONGEST_NAME = 4096
LARGEST_XML = 64 * 1024 * 1024
_PIECE = 64 * 1024
_HEADER = 8
_COMPOSITION = 4
_FOLDERS = (b"Fold", b"Sfdr")


async def list_compositions(path: Path, *, patience: float = PATIENCE_SECONDS) -> frozenset[str] | None:
    """Their names; None where the project is larger or other than can be read here."""
    return await run_watched(lambda meter: read_compositions(path, meter), stall_seconds=patience, what=str(path))


def read_compositions(path: Path, meter: Meter) -> frozenset[str] | None:
    if not path.is_file():
        raise NotProject("it is not a file")
    read = _read_xml if path.suffix.lower() == ".aepx" else _read_chunks
    with path.open("rb") as file:
        found = read(file, meter)
    return None if found is None else frozenset(as_written(one) for one in found)


def as_written(name: str) -> str:
    """A Mac writes Korean in parts: the same name, in other bytes."""
    return unicodedata.normalize("NFC", name)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """`kind` is the form of a LIST, else the chunk's own name; `start` and `end` are of its content."""

    kind: bytes
    is_list: bool
    start: int
    end: int


class _TooMuch(Exception):
    pass


def _read_chunks(file: IO[bytes], meter: Meter) -> set[str] | None:
    head = file.read(_HEADER + 4)
    if len(head) < _HEADER + 4 or head[:4] != b"RIFX" or head[_HEADER:] != b"Egg!":
        raise NotProject("it does not begin as an .aep does")
    end = _HEADER + int.from_bytes(head[4:_HEADER], "big")
    if file.seek(0, 2) < end:
        raise NotProject("it ends too early")
    try:
        return _RifxWalk(file, meter).read(_Chunk(b"Egg!", is_list=True, start=_HEADER + 4, end=end))
    except _TooMuch:
        return None


class _RifxWalk:
    def __init__(self, file: IO[bytes], meter: Meter) -> None:
        self._file, self._meter = file, meter
        self._count = 0
        self._names: set[str] = set()
        self._items = 0

    def read(self, root: _Chunk) -> set[str] | None:
        """Without one item nothing was understood."""
        self._read_folder(root, 0)
        return self._names if self._items else None

    def _read_folder(self, folder: _Chunk, depth: int) -> None:
        if depth > MOST_DEPTH:
            raise _TooMuch
        for chunk in self._chunks(folder):
            if chunk.is_list and chunk.kind in _FOLDERS:
                self._read_folder(chunk, depth + 1)
            elif chunk.is_list and chunk.kind == b"Item":
                self._read_item(chunk, depth + 1)

    def _read_item(self, item: _Chunk, depth: int) -> None:
        kind, name = 0, None
        for chunk in self._chunks(item):
            if chunk.kind == b"idta":
                kind = int.from_bytes(self._content(chunk, 2), "big")
                self._items += 1
            elif chunk.kind == b"Utf8" and name is None:
                name = self._content(chunk, LONGEST_NAME).decode("utf-8", "replace")
            elif chunk.is_list and chunk.kind in _FOLDERS:
                self._read_folder(chunk, depth + 1)
        if kind == _COMPOSITION and name is not None:
            self._names.add(name)

    def _chunks(self, parent: _Chunk) -> Iterator[_Chunk]:
        at = parent.start
        while at + _HEADER <= parent.end:
            self._count += 1
            if self._count > MOST_CHUNKS:
                raise _TooMuch
            self._meter.advance(1)
            self._file.seek(at)
            head = self._file.read(_HEADER + 4)
            size = int.from_bytes(head[4:_HEADER], "big")
            end = min(at + _HEADER + size, parent.end)
            is_list = head[:4] == b"LIST" and size >= 4
            yield _Chunk(head[_HEADER:] if is_list else head[:4], is_list, at + _HEADER + 4 * is_list, end)
            at = end + size % 2

    def _content(self, chunk: _Chunk, most: int) -> bytes:
        self._file.seek(chunk.start)
        return self._file.read(min(chunk.end - chunk.start, most))


def _read_xml(file: IO[bytes], meter: Meter) -> set[str] | None:
    if file.seek(0, 2) > LARGEST_XML:
        return None
    file.seek(0)
    reading = _XmlWalk()
    try:
        while piece := file.read(_PIECE):
            meter.advance(len(piece))
            reading.parser.Parse(piece, False)
        reading.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise NotProject(f"its XML cannot be read: {error}") from error
    except _TooMuch:
        return None
    return reading.names if reading.items else None


class _XmlWalk:
    """The same as XML: Item holds idta (its kind in hexadecimal) and string, its name."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.items = 0
        self._path: list[str] = []
        self._kinds: list[str] = []
        self._text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._read_text
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        """No project has one; with entities of its own a small file could become a huge one."""
        raise NotProject("its XML declares a document type")

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and name != "AfterEffectsProject":
            raise NotProject("it does not begin as an .aepx does")
        if len(self._path) > 10 * MOST_DEPTH:
            raise _TooMuch
        is_in_item = bool(self._path) and self._path[-1] == "Item"
        self._path.append(name)
        if name == "Item":
            self._kinds.append("")
        elif name == "idta" and is_in_item:
            self._kinds[-1] = attributes.get("bdata", "")[:4]
            self.items += 1
        elif name == "string" and is_in_item and self._kinds[-1] == f"{_COMPOSITION:04x}":
            self._text = []

    def _close(self, name: str) -> None:
        self._path.pop()
        if name == "Item":
            self._kinds.pop()
        elif self._text is not None:
            self.names.add("".join(self._text)[:LONGEST_NAME])
            self._text = None

    def _read_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
