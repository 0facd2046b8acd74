"""Where old ad groups come from: a CSV in the file store, or a table of the same database, a slice at a time."""

import codecs
import csv
import io
from collections.abc import AsyncIterator, Iterator
from typing import Any

from pabal.apps.adgroups.errors import BadLegacyFile, NoLegacyTable
from pabal.apps.adgroups.legacy.mapping import Raw
from pabal.apps.adgroups.legacy.model import NEEDED
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
SLICE = 1000
# of a table; about as many rows
PAGES = 20
LONGEST_LINE = 1_000_000


async def read_csv(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[Raw]]:
    """In UTF-8, with a line of column names first. Columns it does not know are passed over."""
    lines = _Lines()
    names: list[str] | None = None
    slice_: list[Raw] = []
    async for chunk in chunks:
        for values in lines.feed(chunk):
            if names is None:
                names = _check_names([value.strip().lower() for value in values], lines.number)
                continue
            slice_.append(_as_raw(names, values, lines.number))
            if len(slice_) == SLICE:
                yield slice_
                slice_ = []
    for values in lines.finish():
        if names is None:
            names = _check_names([value.strip().lower() for value in values], lines.number)
        else:
            slice_.append(_as_raw(names, values, lines.number))
    if names is None:
        raise BadLegacyFile("it is empty")
    if slice_:
        yield slice_


async def read_table(tx: Tx) -> AsyncIterator[list[Raw]]:
    """Nobody writes to the table until the commit, so that every row is read once, as it lies there."""
    if not await tx.value(SQL.has_table):
        raise NoLegacyTable("legacy_ad_groups")
    missing = [name for name in NEEDED if name not in set(await tx.value(SQL.list_columns) or [])]
    if missing:
        raise BadLegacyFile(f"columns {', '.join(missing)} are missing")
    await tx.run(SQL.hold_table)
    for first in range(0, await tx.value(SQL.count_pages), PAGES):
        rows = await tx.rows(SQL.read_pages, first=first, end=first + PAGES)
        yield [row["raw"] for row in rows]


class _Lines:
    """Records of a CSV out of pieces of bytes: a piece may end within a sign, a line or a quoted value."""

    def __init__(self) -> None:
        self.number = 0
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._rest = ""

    def feed(self, chunk: bytes) -> Iterator[list[str]]:
        text = self._rest + self._decode(chunk, is_last=False)
        cut = _find_cut(text)
        if cut == 0 and len(text) > LONGEST_LINE:
            raise BadLegacyFile(f"line {self.number + 1} has no end")
        self._rest = text[cut:]
        yield from self._records(text[:cut])

    def finish(self) -> Iterator[list[str]]:
        yield from self._records(self._rest + self._decode(b"", is_last=True))

    def _decode(self, chunk: bytes, *, is_last: bool) -> str:
        try:
            # PostgreSQL stores no NUL
            return self._decoder.decode(chunk, is_last).replace("\0", "")
        except UnicodeDecodeError as error:
            raise BadLegacyFile(f"after line {self.number}: not UTF-8") from error

    def _records(self, text: str) -> Iterator[list[str]]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            for values in reader:
                self.number += 1
                if values:
                    yield values
        except csv.Error as error:
            raise BadLegacyFile(f"line {self.number + 1}: {error}") from error


def _find_cut(text: str) -> int:
    """The end of the last line that no quoted value runs over: an even number of quotes is before it."""
    cut = text.rfind("\n") + 1
    quotes = text.count('"', 0, cut)
    while cut and quotes % 2:
        earlier = text.rfind("\n", 0, cut - 1) + 1
        quotes -= text.count('"', earlier, cut)
        cut = earlier
    return cut


def _check_names(names: list[str], number: int) -> list[str]:
    missing = [name for name in NEEDED if name not in names]
    if missing or len(set(names)) != len(names):
        raise BadLegacyFile(f"line {number}: columns {', '.join(missing) or 'twice'}")
    return names


def _as_raw(names: list[str], values: list[str], number: int) -> dict[str, Any]:
    if len(values) > len(names):
        raise BadLegacyFile(f"line {number}: {len(values)} values for {len(names)} columns")
    return dict(zip(names, values, strict=False))
