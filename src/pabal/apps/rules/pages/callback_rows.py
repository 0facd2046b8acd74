"""Callbacks in the rule's form: a row for each, with the fields of its kind. Pure."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pabal.apps.rules.errors import BadCallback
from pabal.apps.rules.model.callbacks import ALIASES, LONGEST_TEMPLATE, MOST, CallbackType, TellWhen, read_all
from pabal.apps.rules.pages.rows import PairRow, Posted, clean, list_pairs, list_rows, read_kept, read_pairs, show_pairs
from pabal.base.errors import PabalError
from pabal.platform.events.model import check_name, check_word
from pabal.platform.findings import Finding, find_wrong
from pabal.platform.language.pairs import Pair

CHANNEL, WORKFLOW, THEN = "channel", "workflow", "then"
# the fields of each kind in the order of the form; `input` of a workflow is rows of its own
FIELDS: Mapping[CallbackType, tuple[str, ...]] = {
    CallbackType.TELEGRAM: (CHANNEL, "chat_id", "template"),
    CallbackType.EMAIL: (CHANNEL, "template"),
    CallbackType.WEBHOOK: (CHANNEL, "template"),
    CallbackType.APPROVAL: (THEN, "template"),
    CallbackType.WORKFLOW: (WORKFLOW,),
    CallbackType.EVENT: ("name", "key"),
    CallbackType.LOG: ("level", "template"),
}
LEVELS: Mapping[str, Pair] = {
    "": ("as usual", "기본"),
    "info": ("information", "정보"),
    "warning": ("warning", "경고"),
    "error": ("error", "오류"),
}
WHENS: Mapping[str, Pair] = {
    "": ("as usual", "기본"),
    TellWhen.ALWAYS: ("each time", "매번"),
    TellWhen.CONDITION: ("whenever the condition is met", "조건을 충족할 때마다"),
    TellWhen.CHANGED: ("when the condition's answer changes", "조건 충족이 바뀔 때"),
}
# of a workflow's input; one with more is kept as it is
MOST_PAIRS = 20
_TOO_LONG: Pair = (f"At most {LONGEST_TEMPLATE} characters.", f"{LONGEST_TEMPLATE}자까지 적을 수 있습니다.")
_TOO_MANY: Pair = (f"At most {MOST}.", f"{MOST}개까지 적을 수 있습니다.")
_NOT_THERE: Mapping[str, Pair] = {
    CHANNEL: (
        "This organisation is not reached by this channel. Choose another.",
        "이 조직에서 쓸 수 없는 채널입니다. 다른 채널을 골라 주세요.",
    ),
    WORKFLOW: (
        "This organisation has no such workflow. Choose one.",
        "이 조직에 없는 워크플로우입니다. 하나를 골라 주세요.",
    ),
    THEN: ("There is no such rule. Choose another.", "이런 룰이 없습니다. 다른 룰을 골라 주세요."),
}
_LOST: Pair = ("This was not sent whole. Open the form again.", "이 항목이 온전히 오지 않았습니다. 다시 열어 주세요.")


@dataclass(frozen=True, slots=True)
class CallbackRow:
    """`type` None: fields cannot show it, and `kept` stays. `kept` is what is behind it, as JSON."""

    type: CallbackType | None
    when: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    input: tuple[PairRow, ...] = ()
    kept: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return () if self.type is None else FIELDS[self.type]


Offered = Mapping[tuple[CallbackType, str], Collection[str]]


def show_callbacks(callbacks: Sequence[Mapping[str, Any]]) -> list[CallbackRow]:
    return [_show(one) for one in callbacks]


def list_callbacks(posted: Posted, name: str) -> list[CallbackRow]:
    """What was typed."""
    return [_list(row) for row in list_rows(posted, name)]


def read_callbacks(
    typed: Sequence[CallbackRow], name: str, offered: Offered
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """`offered` is what can be chosen where something is; what a rule has already may stay, whatever became of it."""
    faults: list[Finding] = []
    found = [_read(row, f"{name}-{index}", offered, faults) for index, row in enumerate(typed)]
    if len(found) > MOST:
        faults.append(Finding("bad_callback", name, _TOO_MANY))
    return found, faults


def _show(one: Mapping[str, Any]) -> CallbackRow:
    kept = json.dumps(one, ensure_ascii=False)
    try:
        [callback] = read_all([one])
    except BadCallback:
        return CallbackRow(None, kept=kept)
    given = callback.config.get("input", {})
    if len(given) > MOST_PAIRS:
        return CallbackRow(None, kept=kept)
    fields = {name: clean(callback.config.get(name, "")) for name in FIELDS[callback.type]}
    return CallbackRow(callback.type, callback.when or "", fields, tuple(show_pairs(given)), kept)


def _list(row: Mapping[str, str]) -> CallbackRow:
    kind, kept = ALIASES.get(row.get("type", ""), row.get("type", "")), row.get("kept", "")
    if kind not in list(CallbackType):
        return CallbackRow(None, kept=kept)
    found = CallbackType(kind)
    when = row.get("when", "")
    fields = {name: row.get(name, "") for name in FIELDS[found]}
    return CallbackRow(found, when if when in WHENS else "", fields, tuple(list_pairs(row, "input")), kept)


def _read(row: CallbackRow, name: str, offered: Offered, faults: list[Finding]) -> dict[str, Any]:
    before = read_kept(row.kept)
    if before is not None and _show(before) == CallbackRow(row.type, row.when, row.fields, row.input, _again(before)):
        return before
    if row.type is None:
        faults.append(Finding("bad_callback", name, _LOST))
        return {}
    config: dict[str, Any] = {one: text for one, text in row.fields.items() if text}
    had = {} if before is None else before.get("config") or {}
    faults += _check(row, row.type, name, offered, had)
    if row.type is CallbackType.WORKFLOW:
        given, wrong = read_pairs(row.input, f"{name}-input")
        config |= {"input": given} if given else {}
        faults += wrong
    return {"type": row.type.value, "config": config, **({"when": row.when} if row.when else {})}


def _check(row: CallbackRow, kind: CallbackType, name: str, offered: Offered, had: Mapping[str, Any]) -> list[Finding]:
    too_long = [one for one, text in row.fields.items() if len(text) > LONGEST_TEMPLATE]
    found = [Finding("bad_callback", f"{name}-{one}", _TOO_LONG) for one in too_long]
    for one in (CHANNEL, WORKFLOW, THEN):
        text = row.fields.get(one)
        is_free = text is None or text == had.get(one) or (not text and one != WORKFLOW)
        if not is_free and text not in offered.get((kind, one), ()):
            found.append(Finding("bad_callback", f"{name}-{one}", _NOT_THERE[one]))
    if kind is CallbackType.EVENT:
        found += _check_event(row, name)
    return found


def _check_event(row: CallbackRow, name: str) -> list[Finding]:
    found = []
    for one, check in (("name", check_name), ("key", check_word)):
        try:
            check(row.fields[one])
        except PabalError as error:
            found.append(find_wrong(error, f"{name}-{one}"))
    return found


def _again(kept: dict[str, Any]) -> str:
    return json.dumps(kept, ensure_ascii=False)
