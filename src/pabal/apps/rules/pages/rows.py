"""Rows of the rule's form: `payload-0-key` is the field `key` of the first row of `payload`. Pure.

Everything here is text as it was typed. What a rule has is shown as such rows and read back from them; whatever was not
touched stays exactly as it was, even where the rows alone would write it in another way.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair

Posted = Mapping[str, str]
PAYLOAD = "payload"
# a payload of the largest size, as one field
LONGEST = 100_000
NUMBER, TEXT, YES_NO, JSON = "number", "text", "yes_no", "json"
KINDS: Mapping[str, Pair] = {
    TEXT: ("text", "글자"),
    NUMBER: ("number", "숫자"),
    YES_NO: ("true or false", "참·거짓"),
    JSON: ("list or object (JSON)", "목록·객체(JSON)"),
}
_WRONG: Mapping[str, Pair] = {
    NUMBER: ("Write a number, such as 500 or -1.5.", "500이나 -1.5처럼 숫자로 적어 주세요."),
    YES_NO: ("Write true or false.", "true(참)나 false(거짓)로 적어 주세요."),
    JSON: (
        'This is no JSON. Write a list as ["a", "b"], an object as {"a": 1}.',
        '형식이 맞지 않습니다. 목록은 ["a", "b"], 객체는 {"a": 1}처럼 적어 주세요.',
    ),
}
# a payload with more keys is one field
MOST_PAIRS = 40
_NO_OBJECT: Pair = (
    'This is no JSON object. Write it as {"ticker": "AAPL"}.',
    '형식이 맞지 않습니다. {"ticker": "AAPL"}처럼 적어 주세요.',
)
_NO_KEY: Pair = ("Name the key of this value.", "이 값의 키를 적어 주세요.")
_SAME_KEY: Pair = ("This key is there twice.", "같은 키가 두 번 있습니다.")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,99}|[1-9]\d{0,2}(,\d{3}){1,30})(\.\d{1,99})?([eE][+-]?\d{1,3})?", re.ASCII)
_TRUE, _FALSE = ("true", "yes", "참", "예"), ("false", "no", "거짓", "아니요", "아니오")


@dataclass(frozen=True, slots=True)
class PairRow:
    key: str = ""
    kind: str = TEXT
    value: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.key and not self.value


@dataclass(frozen=True, slots=True)
class PayloadRows:
    """`text`: all of it as JSON, where there is too much for rows. `kept` is what is behind the rows, as JSON."""

    rows: tuple[PairRow, ...] = ()
    text: str | None = None
    kept: str = ""


def clean(text: str) -> str:
    """As a browser would send it back, and without what stands around it."""
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").strip()[:LONGEST]


def list_rows(posted: Posted, name: str) -> list[dict[str, str]]:
    """The rows of this name in their order, each with the fields it has."""
    found = _number_rows(posted, name)
    return [found[number] for number in sorted(found)]


def add_row(posted: Posted, name: str, first: Mapping[str, str]) -> dict[str, str]:
    """After the last one; `first` is what it begins with."""
    number = max(_number_rows(posted, name), default=-1) + 1
    return {**posted, **{f"{name}-{number}-{field}": value for field, value in first.items()}}


def remove_row(posted: Posted, row: str) -> dict[str, str]:
    return {field: value for field, value in posted.items() if not field.startswith(f"{row}-")}


def show_value(value: Any) -> tuple[str, str]:
    """Its kind and its text."""
    if isinstance(value, bool):
        return YES_NO, "true" if value else "false"
    if isinstance(value, int | float):
        return NUMBER, json.dumps(value)
    if isinstance(value, str) and value == clean(value) and "\n" not in value:
        return TEXT, value
    return JSON, json.dumps(value, ensure_ascii=False)


def read_value(kind: str, text: str) -> Any:
    """Raises ValueError where the text is none of its kind; `say_wrong` says it."""
    if kind == NUMBER:
        return _read_number(text)
    if kind == YES_NO:
        return _read_yes_no(text)
    return read_json(text) if kind == JSON else text


def say_wrong(kind: str) -> Pair:
    return _WRONG[kind]


def read_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(text[:20]) from error


def show_pairs(data: Mapping[str, Any]) -> list[PairRow]:
    return [PairRow(clean(key), *show_value(value)) for key, value in data.items()]


def list_pairs(posted: Posted, name: str) -> list[PairRow]:
    return [
        PairRow(row.get("key", ""), _kind(row.get("kind", TEXT)), row.get("value", ""))
        for row in list_rows(posted, name)
    ]


def read_pairs(rows: Sequence[PairRow], name: str) -> tuple[dict[str, Any], list[Finding]]:
    """A row that nothing was written into says nothing."""
    given: dict[str, Any] = {}
    faults: list[Finding] = []
    for index, row in enumerate(rows):
        if row.is_empty:
            continue
        if not row.key or row.key in given:
            faults.append(Finding("bad_key", f"{name}-{index}-key", _SAME_KEY if row.key else _NO_KEY))
        try:
            given[row.key] = read_value(row.kind, row.value)
        except ValueError:
            given[row.key] = None
            faults.append(Finding("bad_value", f"{name}-{index}-value", say_wrong(row.kind)))
    return given, faults


def show_payload(payload: Mapping[str, Any]) -> PayloadRows:
    if len(payload) > MOST_PAIRS:
        return PayloadRows(text=json.dumps(payload, ensure_ascii=False, indent=2))
    return PayloadRows(tuple(show_pairs(payload)), kept=json.dumps(payload, ensure_ascii=False))


def list_payload(posted: Posted) -> PayloadRows:
    """What was typed."""
    return PayloadRows(tuple(list_pairs(posted, PAYLOAD)), posted.get("payload-text"), posted.get("payload-kept", ""))


def read_payload(typed: PayloadRows) -> tuple[dict[str, Any], list[Finding]]:
    if typed.text is not None:
        given = read_kept(typed.text)
        return (given, []) if given is not None else ({}, [Finding("bad_json", "payload-text", _NO_OBJECT)])
    kept = read_kept(typed.kept)
    if kept is not None and tuple(show_pairs(kept)) == typed.rows:
        return kept, []
    return read_pairs(typed.rows, PAYLOAD)


def read_kept(text: str) -> dict[str, Any] | None:
    """The object that is behind a row; None where there is none."""
    try:
        kept = read_json(text) if text else None
    except ValueError:
        return None
    return kept if isinstance(kept, dict) else None


def _number_rows(posted: Posted, name: str) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    for field, value in posted.items():
        if field.startswith(f"{name}-"):
            number, _, rest = field.removeprefix(f"{name}-").partition("-")
            if rest and number.isascii() and number.isdigit() and len(number) < 5:
                found.setdefault(int(number), {})[rest] = value
    return found


def _kind(text: str) -> str:
    return text if text in KINDS else TEXT


def _read_number(text: str) -> int | float:
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(text[:20])
    plain = text.replace(",", "")
    if plain.lstrip("-").isdigit():
        return int(plain)
    number = float(plain)
    if not math.isfinite(number):
        raise ValueError(text[:20])
    return number


def _read_yes_no(text: str) -> bool:
    word = text.lower()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError(text[:20])
    return word in _TRUE


def _refuse(name: str) -> None:
    raise ValueError(name)
