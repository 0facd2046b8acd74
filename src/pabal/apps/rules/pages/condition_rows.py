"""The condition in the rule's form: a row for each comparison, and whether all must hold or any. Pure.

One that has groups inside groups, or compares with a list, is no such list of rows: it is shown in words and kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pabal.apps.rules.pages.rows import (
    JSON,
    KINDS,
    NUMBER,
    PAYLOAD,
    Posted,
    clean,
    list_rows,
    read_kept,
    read_value,
    say_wrong,
    show_value,
)
from pabal.engine.conditions import COMPARISONS, MOST
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair

NAME = "condition"
EXISTS, ABSENT = "exists", "absent"
OPERATIONS: Mapping[str, Pair] = {
    ">=": ("≥ at least", "≥ 이상"),
    ">": ("> more than", "> 초과"),
    "<=": ("≤ at most", "≤ 이하"),
    "<": ("< less than", "< 미만"),
    "==": ("= is", "= 같음"),
    "!=": ("≠ is not", "≠ 다름"),
    "contains": ("contains", "포함"),
    EXISTS: ("is there", "값이 있음"),
    ABSENT: ("is not there", "값이 없음"),
}
WITH: Mapping[str, Pair] = {
    **{kind: text for kind, text in KINDS.items() if kind != JSON},
    PAYLOAD: ("key of the payload", "전달 데이터의 키"),
}
JOINS: Mapping[str, Pair] = {
    "all": ("all of these hold", "모두 맞을 때"),
    "any": ("one of these holds", "하나라도 맞을 때"),
}
# the group around them counts, too
MOST_ROWS = MOST - 1
LONGEST_PATH = 200
FIRST = {"path": "", "op": ">=", "kind": NUMBER, "value": ""}
_NO_PATH: Pair = (
    f"Name the field that is compared, such as price, in at most {LONGEST_PATH} characters.",
    f"price처럼 비교할 항목을 {LONGEST_PATH}자 이내로 적어 주세요.",
)
_NO_KEY: Pair = ("Name a key of the payload.", "전달 데이터의 키를 적어 주세요.")
_TOO_MANY: Pair = (f"At most {MOST_ROWS} comparisons.", f"비교는 {MOST_ROWS}개까지 적을 수 있습니다.")
_LOST: Pair = (
    "The condition was not sent whole. Open the form again.",
    "조건이 온전히 오지 않았습니다. 다시 열어 주세요.",
)


@dataclass(frozen=True, slots=True)
class ConditionRow:
    path: str = ""
    op: str = ">="
    kind: str = NUMBER
    value: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.path and not self.value


@dataclass(frozen=True, slots=True)
class ConditionRows:
    """`kept`: the condition that is behind it, as JSON. `is_closed`: rows cannot show that one."""

    rows: tuple[ConditionRow, ...] = ()
    join: str = "all"
    kept: str = ""
    is_closed: bool = False


def show_condition(condition: Mapping[str, Any] | None) -> ConditionRows:
    if condition is None:
        return ConditionRows()
    kept = json.dumps(condition, ensure_ascii=False)
    join = next((one for one in JOINS if one in condition), "")
    rows = [_show(one) for one in (condition[join] if join else [condition])]
    open_ones = tuple(one for one in rows if one is not None)
    is_closed = len(open_ones) < len(rows)
    return ConditionRows(() if is_closed else open_ones, join or "all", kept, is_closed)


def list_condition(posted: Posted) -> ConditionRows:
    """What was typed."""
    rows = tuple(
        ConditionRow(
            row.get("path", ""),
            row["op"] if row.get("op") in OPERATIONS else ">=",
            row["kind"] if row.get("kind") in WITH else NUMBER,
            row.get("value", ""),
        )
        for row in list_rows(posted, NAME)
    )
    join = "any" if posted.get(f"{NAME}-join") == "any" else "all"
    return ConditionRows(rows, join, posted.get(f"{NAME}-kept", ""), bool(posted.get(f"{NAME}-closed")))


def read_condition(typed: ConditionRows) -> tuple[dict[str, Any] | None, list[Finding]]:
    kept = read_kept(typed.kept)
    if typed.is_closed and kept is None:
        return None, [Finding("bad_condition", NAME, _LOST)]
    if kept is not None and (typed.is_closed or _is_same(kept, typed)):
        return kept, []
    faults: list[Finding] = []
    found = [_read(row, f"{NAME}-{index}", faults) for index, row in enumerate(typed.rows) if not row.is_empty]
    if len(found) > MOST_ROWS:
        faults.append(Finding("bad_condition", NAME, _TOO_MANY))
    if len(found) < 2:
        return (found[0] if found else None), faults
    return {typed.join: found}, faults


def _is_same(kept: dict[str, Any], typed: ConditionRows) -> bool:
    try:
        shown = show_condition(kept)
    except (KeyError, TypeError):
        return False
    return (shown.rows, shown.join) == (typed.rows, typed.join)


def _show(one: Mapping[str, Any]) -> ConditionRow | None:
    """None: a row cannot show it."""
    path, op = one.get("path"), one.get("op")
    if not isinstance(path, str) or op not in COMPARISONS or path != clean(path):
        return None
    if op == EXISTS:
        return _show_exists(path, one)
    if "value_from" in one:
        return (
            ConditionRow(path, op, PAYLOAD, one["value_from"])
            if one["value_from"] == clean(one["value_from"])
            else None
        )
    kind, text = show_value(one.get("value"))
    return None if kind == JSON else ConditionRow(path, op, kind, text)


def _show_exists(path: str, one: Mapping[str, Any]) -> ConditionRow | None:
    if "value_from" in one or one.get("value", True) not in (True, False):
        return None
    return ConditionRow(path, ABSENT if one.get("value") is False else EXISTS)


def _read(row: ConditionRow, name: str, faults: list[Finding]) -> dict[str, Any]:
    if not 1 <= len(row.path) <= LONGEST_PATH:
        faults.append(Finding("bad_condition", f"{name}-path", _NO_PATH))
    if row.op in (EXISTS, ABSENT):
        return {"path": row.path, "op": EXISTS, **({"value": False} if row.op == ABSENT else {})}
    if row.kind == PAYLOAD:
        if not row.value:
            faults.append(Finding("bad_condition", f"{name}-value", _NO_KEY))
        return {"path": row.path, "op": row.op, "value_from": row.value}
    try:
        return {"path": row.path, "op": row.op, "value": read_value(row.kind, row.value)}
    except ValueError:
        faults.append(Finding("bad_condition", f"{name}-value", say_wrong(row.kind)))
        return {"path": row.path, "op": row.op, "value": None}
