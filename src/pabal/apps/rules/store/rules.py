"""Rules: rows of `rules.rule`, each with the next moment of its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.rules.errors import NoSuchRule
from pabal.apps.rules.model.rules import Rule, RuleForm, RuleState
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import schedules
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
BARS = 20
LIVING = (RuleState.ACTIVE, RuleState.PAUSED)


@dataclass(frozen=True, slots=True)
class NamedScript:
    """A script that a rule names. `is_fetched`: as the repository's remote has it, not as the folder does."""

    script: str
    is_fetched: bool = False


async def insert_rule(tx: Tx, unit_id: int, form: RuleForm, *, created_by: str) -> int:
    made: int = await tx.value(SQL.insert_rule, unit_id=unit_id, created_by=created_by, now=tx.now, **_columns(form))
    return made


async def update_rule(tx: Tx, number: int, unit_id: int, form: RuleForm) -> None:
    await tx.run(SQL.update_rule, id=number, unit_id=unit_id, now=tx.now, **_columns(form))


async def get_rule(tx: Tx, scope: Scope, rule_id: UUID) -> Rule:
    found = await tx.value(SQL.find_number, id=rule_id)
    return await get_numbered(tx, scope, found, rule_id)


async def get_numbered(tx: Tx, scope: Scope, number: int | None, shown: object = "") -> Rule:
    found = [] if number is None else await load_rules(tx, [number])
    if not found or not scope.holds(found[0].unit_id) or found[0].state is RuleState.DELETED:
        raise NoSuchRule(str(shown or number)[:100])
    return found[0]


async def load_rules(tx: Tx, numbers: Sequence[int]) -> list[Rule]:
    """In the order given, whoever asks: deleted ones too."""
    rows = await tx.rows(SQL.load_rules, numbers=list(numbers))
    found = {row["number"]: Rule(**row) for row in rows}
    rules = [found[each] for each in numbers if each in found]
    timetables = [one.timetable_id for one in rules if one.timetable_id is not None]
    known = {one.id: one for one in await schedules.load_many(tx, timetables)}
    recent = {row["id"]: row["recent"] for row in await tx.rows(SQL.list_recent, numbers=list(numbers), most=BARS)}
    return [
        replace(
            one,
            next_run_at=_next(one, known.get(one.timetable_id or 0), tx.now),
            recent=recent.get(one.number, ""),
        )
        for one in rules
    ]


def _next(rule: Rule, timetable: schedules.Schedule | None, now: datetime) -> datetime | None:
    """Of a paused rule, when it would run; that is counted from now."""
    if timetable is None:
        return None
    return timetable.timing.next_after(now) if timetable.is_paused else timetable.next_at


async def hold_rule(tx: Tx, rule_id: UUID) -> int | None:
    """Locked until the commit. Its number."""
    found: int | None = await tx.value(SQL.hold_number, id=rule_id)
    return found


async def list_rules(
    tx: Tx,
    scope: Scope,
    *,
    states: Sequence[RuleState] = LIVING,
    q: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Rule]:
    rows = await tx.rows(
        SQL.list_rules,
        units=scope.listed,
        states=[one.value for one in states],
        q=q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    page = paging.cut([row["id"] for row in rows], limit, paging.show_cursor)
    return Page(await load_rules(tx, page.items), page.cursor)


async def count_rules(tx: Tx, scope: Scope, *, states: Sequence[RuleState] = LIVING, q: str | None = None) -> int:
    count: int = await tx.value(SQL.count_rules, units=scope.listed, states=[one.value for one in states], q=q or None)
    return count


async def find_named(tx: Tx, scope: Scope, name: str) -> list[int]:
    """Whose name is exactly this; a few are enough to see that it is not one."""
    return [row["id"] for row in await tx.rows(SQL.find_named, name=name, units=scope.listed, most=5)]


async def set_timetable(tx: Tx, number: int, timetable_id: int | None) -> None:
    await tx.run(SQL.set_timetable, id=number, timetable_id=timetable_id)


async def list_scripts(tx: Tx) -> list[NamedScript]:
    return await tx.all(NamedScript, SQL.list_scripts)


async def load_memory(tx: Tx, number: int) -> Any:
    """What its script answered when it last succeeded."""
    return await tx.value(SQL.load_memory, id=number)


async def keep_memory(tx: Tx, number: int, value: Any) -> None:
    await tx.run(SQL.keep_memory, id=number, memory=value)


async def remember(tx: Tx, number: int, *, met: bool, told_at: datetime | None) -> None:
    """What the condition said; None leaves when somebody was told."""
    await tx.run(SQL.remember, id=number, met=met, told_at=told_at)


async def note_deleted(tx: Tx, number: int) -> None:
    await tx.run(SQL.touch, id=number, now=tx.now)


async def delete_gone(tx: Tx, before: datetime, *, most: int) -> int:
    return await tx.run(SQL.delete_gone, before=before, most=most)


def _columns(form: RuleForm) -> dict[str, Any]:
    return {
        "name": form.name,
        "schedule": form.schedule,
        "zone": form.zone,
        "payload": form.payload,
        "script": form.execution_script_path,
        "function": form.script_function,
        "fetch": form.fetch_before_run,
        "network": form.allow_network,
        "reads": form.read_folders,
        "writes": form.write_folders,
        "artifact_days": form.artifact_days,
        "source": form.source,
        "condition": form.condition,
        "on_success": form.on_success,
        "on_failure": form.on_failure,
        "misfire": form.misfire.value,
        "misfire_max": form.misfire_max,
        "overlap": form.overlap.value,
        "timeout": form.timeout_seconds,
        "attempts": form.max_attempts,
        "retry": form.retry_seconds,
        "cooldown": form.cooldown_seconds,
    }
