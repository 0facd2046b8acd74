"""What the end of a run leads to: notices, log lines, events and workflows, durable in the commit that ends it."""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pabal.apps.rules.actions.asking import ask
from pabal.apps.rules.actions.starting import start_workflow
from pabal.apps.rules.model.callbacks import Callback, CallbackType, Memory, is_due, read_all
from pabal.apps.rules.model.messages import fill
from pabal.apps.rules.model.rules import AREA, Rule, RuleRunState, Run
from pabal.apps.rules.store.rules import ConditionMemory
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.platform import events, notifications
from pabal.platform.events import NewEvent
from pabal.platform.notifications import Channel, Level, Notice

declare("rules.told", "Callbacks of runs that were carried out", labels=("type",))
declare("rules.logged", "What rules write into the log", labels=("severity",), level=logging.INFO)

# by channel, which have a kind of their own for each way
_WAYS = {CallbackType.TELEGRAM: "telegram", CallbackType.WEBHOOK: "webhook", CallbackType.EMAIL: "email"}
# the name of the notice, by which a channel may want it or not
ENDED = "rules.run_ended"
# more than that is left out of an event; the run has it
MOST_DATA = 4_000
_USUAL = "{rule_name}: {message}"
# of one run of a script; what is more is not sent
MOST_WISHES, LONGEST_WISH = 100, 3_500


@dataclass(frozen=True, slots=True)
class RunResult:
    """What callbacks speak of."""

    state: RuleRunState
    message: str
    data: Any
    met: bool | None


async def tell(tx: Tx, rule: Rule, run: Run, result: RunResult, said: ConditionMemory) -> list[dict[str, Any]]:
    """Carries out what is due after what the condition said before, and answers what that was. Of a dry run nothing
    leaves the house."""
    wanted = rule.on_success if result.state is RuleRunState.SUCCESS else rule.on_failure
    memory = Memory(said.last_met, said.told_at, timedelta(seconds=rule.cooldown_seconds))
    met = result.met if result.state is RuleRunState.SUCCESS else None
    values = values_of(rule, run, result)
    done = []
    for callback in read_all(wanted):
        due = is_due(callback, met, memory, tx.now)
        told: dict[str, Any] = {"type": callback.type.value, "is_sent": False, "text": ""}
        if due:
            told = await _carry_out(tx, rule, run, callback, values)
        done.append({**told, "is_due": due})
    return done


async def send(tx: Tx, rule: Rule, run: Run, wishes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What its script asked to be sent, by all channels or the one it names. Of a dry run it is only shown."""
    done = []
    for wish in wishes[:MOST_WISHES]:
        text = str(wish.get("text", ""))[:LONGEST_WISH]
        told = {"type": "notify", "is_due": True, "is_sent": False, "text": text}
        done.append(told | await _notify(tx, rule, run, _WAYS.values(), wish, text))
    return done


def was_told(captured: Sequence[dict[str, Any]]) -> bool:
    return any(one["is_sent"] for one in captured)


def values_of(rule: Rule, run: Run, result: RunResult) -> dict[str, Any]:
    """What templates may name: what was answered, the payload behind it, and the run's own words before both."""
    data = result.data if isinstance(result.data, dict) else {"value": result.data}
    own = {
        "rule_name": rule.name,
        "status": result.state.value,
        "status_emoji": "✅" if result.state is RuleRunState.SUCCESS else "❌",
        "message": result.message,
        "met": result.met,
        "scheduled_at": run.scheduled_at.isoformat(timespec="seconds"),
        "attempt": run.attempt,
        "data": data,
        "payload": rule.payload,
    }
    return {**rule.payload, **data, **{name: value for name, value in own.items() if value is not None}}


async def _carry_out(tx: Tx, rule: Rule, run: Run, callback: Callback, values: dict[str, Any]) -> dict[str, Any]:
    text = fill(callback.config.get("template") or _USUAL, values)
    told = {"type": callback.type.value, "is_sent": not run.is_dry, "text": text}
    match callback.type:
        case CallbackType.EVENT:
            told |= {"text": callback.config["name"], "to": callback.config.get("key", "")}
            if not run.is_dry:
                await _publish(tx, rule, run, callback, values)
        case CallbackType.APPROVAL:
            told |= {"then": callback.config.get("then", "")}
            if not run.is_dry:
                await ask(tx, rule, run)
        case CallbackType.WORKFLOW:
            told |= await start_workflow(tx, rule, run, callback, values)
        case CallbackType.LOG:
            if not run.is_dry:
                emit("rules.logged", rule=rule.number, severity=callback.config.get("level", "info"), text=text)
        case _:
            told |= await _notify(tx, rule, run, (_WAYS[callback.type],), callback.config, text)
    if told["is_sent"]:
        emit("rules.told", type=callback.type.value, rule=rule.number)
    return told


async def _publish(tx: Tx, rule: Rule, run: Run, callback: Callback, values: dict[str, Any]) -> None:
    """The run's id is the event's: the same run publishes it once, however often it is tried."""
    answered = values["data"] if len(json.dumps(values["data"], ensure_ascii=False)) <= MOST_DATA else None
    data = {"rule_id": str(rule.id), "run_id": str(run.id), "status": values["status"], "data": answered}
    name = callback.config["name"]
    new = NewEvent(name, data, id=f"{run.id}:{name}"[:100], key=callback.config.get("key", ""), unit_id=rule.unit_id)
    await events.append(tx, [new], source=rule.about)


async def _notify(  # long: a rule, its run, and what they have to say
    tx: Tx, rule: Rule, run: Run, ways: Collection[str], config: Mapping[str, Any], text: str
) -> dict[str, Any]:
    """To the channels of the rule's unit and above that carry one of these ways, and to the console's bell."""
    reached = list[str]()

    async def to(channel: Channel) -> bool:
        is_meant = channel.kind in ways and config.get("channel", channel.name) == channel.name
        is_meant = is_meant and config.get("chat_id", channel.chat_id) == channel.chat_id
        if is_meant:
            reached.append(channel.name)
        return is_meant

    if run.is_dry:
        return {"to": str(config.get("channel") or config.get("chat_id") or "")}
    await notifications.notify(tx, _notice(rule, run, text), to=to)
    return {"to": ", ".join(reached), "is_sent": bool(reached)}


def _notice(rule: Rule, run: Run, text: str) -> Notice:
    head, _, rest = text.partition("\n")
    level = Level.INFO if run.state is not RuleRunState.FAILURE else Level.ATTENTION
    return Notice(
        name=ENDED,
        title=("{title}", "{title}"),
        text=("{text}", "{text}"),
        values={"title": head or rule.name, "text": rest},
        level=level,
        unit_id=rule.unit_id,
        about=rule.about,
        link=f"/{AREA}/runs/{run.id}",
    )
