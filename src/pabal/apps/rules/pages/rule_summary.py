"""A rule in a few lines, for its page: what must hold, and whom it tells when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pabal.apps.rules.labels import WAYS
from pabal.apps.rules.model.callbacks import Callback, TellWhen, read_all
from pabal.apps.rules.model.rules import Rule
from pabal.apps.rules.pages.rows import show_pairs
from pabal.engine.conditions import look_up
from pabal.platform.language.pairs import Pair

_JOINED: Mapping[str, Pair] = {"all": (" and ", " 그리고 "), "any": (" or ", " 또는 ")}
_WHEN: Mapping[TellWhen, Pair] = {
    TellWhen.ALWAYS: ("each time", "매번"),
    TellWhen.CONDITION: ("whenever the condition is met", "조건을 충족할 때마다"),
    TellWhen.CHANGED: ("when that changes", "조건 충족이 바뀔 때"),
}


@dataclass(frozen=True, slots=True)
class CallbackLine:
    way: Pair
    when: Pair
    text: str


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """`condition` None: the rule has none."""

    condition: Pair | None
    on_success: Sequence[CallbackLine]
    on_failure: Sequence[CallbackLine]
    payload: Sequence[str]


def summarise(rule: Rule) -> RuleSummary:
    found = rule.condition
    told = None if found is None else tell_condition(found, rule.payload)
    usual = TellWhen.ALWAYS if found is None else TellWhen.CHANGED
    return RuleSummary(
        told,
        [_show(one, usual) for one in read_all(rule.on_success)],
        [_show(one, TellWhen.ALWAYS) for one in read_all(rule.on_failure)],
        [f"{row.key} = {row.value}" for row in show_pairs(rule.payload)],
    )


def tell_condition(condition: Mapping[str, Any], payload: Mapping[str, Any]) -> Pair:
    return _tell(condition, payload, 0), _tell(condition, payload, 1)


def _tell(condition: Mapping[str, Any], payload: Mapping[str, Any], language: int) -> str:
    for name, words in _JOINED.items():
        if name in condition:
            inner = [_tell(one, payload, language) for one in condition[name]]
            return inner[0] if len(inner) == 1 else f"({words[language].join(inner)})"
    path, op = condition["path"], condition["op"]
    if "value_from" in condition:
        source = condition["value_from"]
        return f"{path} {op} {look_up(payload, source)} ({source})"
    return f"{path} {op} {condition['value']}" if "value" in condition else f"{path} {op}"


def _show(one: Callback, usual: TellWhen) -> CallbackLine:
    way = WAYS.get(one.type.value, (one.type.value, one.type.value))
    text = one.config.get("template") or one.config.get("name") or ""
    return CallbackLine(way, _WHEN[one.when or usual], text)
