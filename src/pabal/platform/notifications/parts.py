"""A message in the parts Telegram takes. Pure: the same message always gives the same parts."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from pabal.platform.notifications.model import Document

# The Bot API counts characters after parsing entities; UTF-16 code units are never fewer.
MESSAGE_UNITS = 4096
CAPTION_UNITS = 1024
_JOINER = "\u200d"
# Widest grapheme we keep whole; beyond it a cut is no loss to a reader.
_WIDEST = 40


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class DocumentPart:
    document: Document
    caption: str


Part = TextPart | DocumentPart


def plan(text: str, document: Document | None) -> list[Part]:
    """A short text goes as the document's caption, a long one before it. Blank parts would be refused."""
    if document is not None and count_units(text) <= CAPTION_UNITS:
        return [DocumentPart(document, text)]
    parts: list[Part] = [TextPart(piece) for piece in split(text) if piece.strip()]
    return [*parts, DocumentPart(document, "")] if document is not None else parts


def split(text: str, limit: int = MESSAGE_UNITS) -> list[str]:
    """Pieces that fit and together are the text: cut after a paragraph, else a line, else a word, else anywhere."""
    return list(_pieces(text, limit))


def count_units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def _pieces(text: str, limit: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        window = _fitting(text, start, limit)
        end = start + len(window)
        if end < len(text):
            end = start + _cut(window, text[end])
        yield text[start:end]
        start = end


def _fitting(text: str, start: int, limit: int) -> str:
    window = text[start : start + limit]
    while (excess := count_units(window) - limit) > 0:
        window = window[: -((excess + 1) // 2)]
    return window


def _cut(window: str, following: str) -> int:
    """Where to end a piece. A break in the first half would make many small messages of one."""
    for mark in ("\n\n", "\n", " "):
        before, found, _ = window.rpartition(mark)
        if found and len(before + mark) >= len(window) // 2:
            return len(before + mark)
    return _whole_grapheme(window, following)


def _whole_grapheme(window: str, following: str) -> int:
    cut = len(window)
    for end in range(cut, max(cut - _WIDEST, 0), -1):
        after = window[end] if end < cut else following
        if not _belong_together(window[end - 1], after):
            return end
    return cut


def _belong_together(before: str, after: str) -> bool:
    is_mark = unicodedata.category(after) in ("Mn", "Me", "Mc")
    is_jamo = "\u1160" <= after <= "\u11ff"
    is_emoji_rest = "\U0001f3fb" <= after <= "\U0001f3ff" or all(
        "\U0001f1e6" <= c <= "\U0001f1ff" for c in before + after
    )
    return is_mark or is_jamo or is_emoji_rest or _JOINER in (before, after) or (before, after) == ("\r", "\n")
