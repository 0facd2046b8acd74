"""Cells that others typed, made safe for a spreadsheet: one rule for every file and every output that one may open."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def defuse(text: str) -> str:
    """What a spreadsheet would take for a formula gets an apostrophe in front. For texts: a number stays a number."""
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


def write_csv(rows: Sequence[Sequence[Any]], *, end: str = "\r\n") -> str:
    """RFC 4180, of plain values: what is no text is written as JSON has it, so that every face writes it alike."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([[_cell(value) for value in row] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    # a lone carriage return is not quoted by every writer, and ends the row for every reader
    return defuse(value).replace("\r\n", "\n").replace("\r", "\n")
