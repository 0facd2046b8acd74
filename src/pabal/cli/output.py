"""Writes an answer as a table for people, or as JSON, lines of JSON, CSV or plain text for programs."""

import json
import re
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pabal.cli.words import STATES, find, say
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.printing import printable
from pabal.platform.language.pairs import Lang, put
from pabal.platform.language.status import STATUS, Words, find_status
from pabal.platform.resources import plain
from pabal.platform.spreadsheets import defuse, write_csv

__all__ = ["Answer", "console", "show_moment", "state_text", "table", "write"]

# How a state looks: its sign and its colour. The sign and the word say it too; colour never alone.
_LOOKS: Mapping[str, tuple[str, str]] = {
    "wait": ("○", "bright_black"),
    "work": ("◐", "blue"),
    "good": ("✓", "green"),
    "attn": ("!", "yellow"),
    "fail": ("✕", "red"),
    "end": ("■", ""),
}
_BREAKS = re.compile(r"[\t\r\n]")
# Columns whose codes have words: `level.hq`, `role.viewer`.
_WORDED = ("beyond", "level", "role", "severity", "what")


def write(answer: Answer, form: str, lang: Lang, *, header: bool = True) -> None:
    match form:
        case "json":
            whole = answer.rows[0] if answer.single else {answer.under: list(answer.rows), **answer.extra}
            typer.echo(_dump(whole, indent=2))
        case "ndjson":
            for row in answer.rows:
                typer.echo(_dump(row))
        case "csv":
            typer.echo(_csv(answer, header=header), nl=False)
        case "plain":
            # one column is a value for a script, taken as it is; columns between tabs are also pasted into spreadsheets
            show = _flat if len(answer.columns) == 1 else _defused
            for row, cells in zip(answer.rows, answer.cells or answer.rows, strict=True):
                # what only people's tables have is taken from their cells
                typer.echo("\t".join(show(row[name] if name in row else cells.get(name)) for name in answer.columns))
        case _:
            _write_table(answer, lang)


def console(*, stderr: bool = False) -> Console:
    """Nothing is cut off where nobody can widen the window."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, soft_wrap=True, width=None if stream.isatty() else 1000)


def show_moment(moment: datetime) -> str:
    """On this machine's wall clock, with its zone."""
    local = moment.astimezone()
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()}"


def state_text(state: str, lang: Lang, family: str = "", words: Words = STATUS) -> Text:
    """A result that only a command has, such as `loaded`, is a word without a look."""
    status = find_status(words, family, state) if family else STATES.get(state)
    sign, style = ("·", "") if status is None else _LOOKS[status.look]
    word = find(lang, f"state.{state}") if status is None else status.word[lang == "ko"]
    return Text(f"{sign} {word or printable(state)}", style=style)


def _write_table(answer: Answer, lang: Lang) -> None:
    if not answer.rows:
        if answer.empty:
            empty = answer.empty
            typer.echo(say(lang, empty) if isinstance(empty, str) else put(lang, empty), err=True)
        return
    if answer.single:
        _write_fields(answer, lang)
        return
    console().print(table(answer, lang))


def table(answer: Answer, lang: Lang) -> Table:
    drawn = Table(box=None, pad_edge=False, show_edge=False, show_header=bool(answer.rows), header_style="bold")
    for name in answer.columns:
        drawn.add_column(_header(name, lang, answer), overflow="fold")
    for row in answer.cells or answer.rows:
        drawn.add_row(*(_cell(name, row.get(name), lang, answer) for name in answer.columns))
    return drawn


def _write_fields(answer: Answer, lang: Lang) -> None:
    fields = Table(box=None, pad_edge=False, show_edge=False, show_header=False)
    fields.add_column(style="bold", no_wrap=True)
    fields.add_column(overflow="fold")
    for name in answer.columns:
        value = (answer.cells or answer.rows)[0].get(name)
        if value is not None:
            fields.add_row(_header(name, lang, answer), _cell(name, value, lang, answer))
    console().print(fields)


def _header(name: str, lang: Lang, answer: Answer) -> str:
    own = answer.words.get(name)
    return put(lang, own) if own is not None else find(lang, f"column.{name}") or name


def _cell(name: str, value: Any, lang: Lang, answer: Answer) -> Text:
    if value is None:
        return Text("–")
    if name in answer.families:
        return state_text(str(value), lang, answer.families[name], answer.status)
    if name in ("state", "result", "end"):
        return state_text(str(value), lang, answer.family, answer.status)
    own = answer.words.get(f"{name}.{value}")
    if own is not None:
        return Text(put(lang, own))
    if name in _WORDED:
        return Text(find(lang, f"{name}.{value}") or printable(str(value)))
    return Text(printable(_said(value, lang)))


def _said(value: Any, lang: Lang) -> str:
    """To people: programs get `_flat`."""
    match value:
        case datetime():
            return show_moment(value)
        case bool():
            return say(lang, "yes" if value else "no")
        case float() if value.is_integer():
            return str(int(value))
        case float():
            return str(round(value, 2))
        case list() if all(isinstance(one, str) for one in value):
            return ", ".join(value)
    return _flat(value)


def _csv(answer: Answer, *, header: bool) -> str:
    names = list(answer.rows[0]) if answer.rows else list(answer.fields or answer.columns)
    rows = [[plain(row.get(name)) for name in names] for row in answer.rows]
    return write_csv([names, *rows] if header else rows, end="\n")


def _defused(value: Any) -> str:
    """A flat cell in which nothing that somebody typed is a formula."""
    return defuse(_flat(value)) if isinstance(value, str) else _flat(value)


def _flat(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return _dump(value)
    return _BREAKS.sub(" ", str(plain(value)))


def _dump(value: Any, indent: int | None = None) -> str:
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, default=str)
