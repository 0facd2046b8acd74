"""Who changed what, before and after, and from where: one row in the commit that changed it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import ids
from pabal.platform.actor import Actor

SQL = load(__file__)


async def record(
    tx: Tx,
    actor: Actor,
    action: str,
    about: str,
    *,
    unit_id: int | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:  # long: the six things an entry says, and the transaction
    """Of `before` and `after` only what differs is kept. Secrets are not given to it."""
    kept = _only_changes(before, after) if before and after else (before, after)
    await tx.run(
        SQL.insert_entry,
        at=tx.now,
        actor=actor.name,
        actor_label=actor.label,
        origin=actor.origin,
        unit_id=unit_id,
        action=action,
        about=about,
        before=kept[0],
        after=kept[1],
    )


def _only_changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    differ = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return {key: before[key] for key in differ if key in before}, {key: after[key] for key in differ if key in after}


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    at: datetime
    actor: str
    actor_label: str
    origin: str
    unit_id: int | None
    action: str
    about: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries, newest first; `before` is the last id of the page before. An action may end in a star."""

    units: list[int] | None = None
    actor: str | None = None
    action: str | None = None
    about: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int = 2**63 - 1
    # actions that are not for this reader, as LIKE has them
    veiled: Sequence[str] = ()


async def list_entries(tx: Tx, wanted: Wanted, *, limit: int = 50) -> list[Entry]:
    window: dict[str, Any] = {
        "veiled": list(wanted.veiled),
        "first": 0 if wanted.since is None else ids.first_at(wanted.since),
        "before": min(wanted.before, ids.LAST if wanted.until is None else ids.first_at(wanted.until)),
        "most": limit,
    }
    actions = None if wanted.action is None else await _spelled_out(tx, wanted.action)
    if wanted.actor is None and wanted.about is None:
        if actions is not None:
            return await tx.all(Entry, SQL.list_of_actions, units=wanted.units, actions=actions, **window)
        if wanted.units is not None:
            return await _list_of_units(tx, wanted.units, window)
    named = {"actor": wanted.actor, "about": wanted.about, "actions": actions}
    return await tx.all(Entry, SQL.list_entries, units=wanted.units, **named, **window)


async def _list_of_units(tx: Tx, units: list[int], window: dict[str, Any]) -> list[Entry]:
    look = 10 * window["most"]
    recent = await tx.all(Entry, SQL.list_recent, units=units, **window, look=look) if len(units) > 10 else []
    return recent if len(recent) >= window["most"] else await tx.all(Entry, SQL.list_of_units, units=units, **window)


async def _spelled_out(tx: Tx, action: str) -> list[str]:
    """A name is read from its index, a pattern would read everything."""
    if "*" not in action:
        return [action]
    return [row["action"] for row in await tx.rows(SQL.list_actions, pattern=_as_like(action))]


def _as_like(pattern: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", pattern).replace("*", "%")
