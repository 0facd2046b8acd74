"""Callbacks: what a run leads to. A list of `{type, config, when}`; one object alone is accepted. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from pabal.apps.rules.errors import BadCallback
from pabal.engine.workflows.model import LARGEST_INPUT, NAME

MOST = 20
LONGEST_TEMPLATE = 2000


class CallbackType(StrEnum):
    TELEGRAM = "telegram"
    LOG = "log"
    WEBHOOK = "webhook"
    EMAIL = "email"
    EVENT = "event"
    APPROVAL = "approval"
    WORKFLOW = "workflow"


class TellWhen(StrEnum):
    """always: each time. condition: when it is met. changed: when it is met or not, unlike the last time."""

    ALWAYS = "always"
    CONDITION = "condition"
    CHANGED = "changed"


# the requirement's word for a request to a person
ALIASES = {"task": "approval"}
# what a config may say, by type
CONFIGS: Mapping[CallbackType, frozenset[str]] = {
    CallbackType.TELEGRAM: frozenset({"template", "channel", "chat_id"}),
    CallbackType.LOG: frozenset({"template", "level"}),
    CallbackType.WEBHOOK: frozenset({"template", "channel"}),
    CallbackType.EMAIL: frozenset({"template", "channel"}),
    CallbackType.EVENT: frozenset({"name", "key"}),
    # `then`: the rule that a yes runs
    CallbackType.APPROVAL: frozenset({"template", "then"}),
    CallbackType.WORKFLOW: frozenset({"workflow", "input"}),
}


@dataclass(frozen=True, slots=True)
class Callback:
    """`when` None: as it suits the rule, see `is_due`."""

    type: CallbackType
    config: dict[str, Any] = field(default_factory=dict)
    when: TellWhen | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """What the condition of a rule said before, and when somebody was last told that it is met."""

    last_met: bool | None
    told_at: datetime | None
    cooldown: timedelta


def as_list(given: Any) -> list[Any]:
    """One object stands for a list of one."""
    if given is None:
        return []
    return [given] if isinstance(given, Mapping) else list(given) if isinstance(given, list | tuple) else [given]


def read_all(given: Any) -> tuple[Callback, ...]:
    """Raises BadCallback with what is wrong."""
    found = as_list(given)
    if len(found) > MOST:
        raise BadCallback(f"{MOST} at most")
    return tuple(_read(one) for one in found)


def is_due(callback: Callback, met: bool | None, memory: Memory, now: datetime) -> bool:
    """`met` None: the rule has no condition. Left unsaid, a rule with a condition tells when that changes."""
    when = callback.when or (TellWhen.ALWAYS if met is None else TellWhen.CHANGED)
    if when is TellWhen.ALWAYS or met is None:
        return True
    if when is TellWhen.CHANGED:
        has_changed = bool(memory.last_met) != met
        return has_changed and not (met and _is_resting(memory, now))
    return met and not _is_resting(memory, now)


def _is_resting(memory: Memory, now: datetime) -> bool:
    return memory.told_at is not None and now < memory.told_at + memory.cooldown


def _read(given: Any) -> Callback:
    if not isinstance(given, Mapping) or set(given) - {"type", "config", "when"}:
        raise BadCallback("an object with type, config and when")
    try:
        kind = CallbackType(ALIASES.get(str(given.get("type")), str(given.get("type"))))
        when = None if given.get("when") is None else TellWhen(given["when"])
    except ValueError as error:
        raise BadCallback(str(error)[:100]) from error
    config = given.get("config") or {}
    if not isinstance(config, Mapping):
        raise BadCallback("config is an object")
    _check_config(kind, config)
    return Callback(kind, dict(config), when)


def _check_config(kind: CallbackType, config: Mapping[str, Any]) -> None:
    odd = sorted(set(config) - CONFIGS[kind])
    if odd:
        raise BadCallback(f"{kind}: {', '.join(odd)[:100]}")
    if kind is CallbackType.WORKFLOW:
        _check_workflow(config)
    elif not all(isinstance(value, str) and len(value) <= LONGEST_TEMPLATE for value in config.values()):
        raise BadCallback(f"{kind}: texts of {LONGEST_TEMPLATE} characters at most")
    if kind is CallbackType.EVENT and not config.get("name"):
        raise BadCallback("event: name")
    if kind is CallbackType.APPROVAL and config.get("then"):
        _check_id(config["then"])


def _check_workflow(config: Mapping[str, Any]) -> None:
    name, given = config.get("workflow"), config.get("input", {})
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise BadCallback("workflow: the name of a workflow")
    if not isinstance(given, Mapping) or len(json.dumps(given, ensure_ascii=False)) > LARGEST_INPUT:
        raise BadCallback(f"workflow: input is an object of {LARGEST_INPUT} characters at most")


def _check_id(text: str) -> None:
    try:
        UUID(text)
    except ValueError as error:
        raise BadCallback("approval: then is a rule's id") from error


def show(callbacks: Sequence[Callback]) -> list[dict[str, Any]]:
    return [
        {"type": one.type.value, "config": one.config, **({} if one.when is None else {"when": one.when.value})}
        for one in callbacks
    ]
