"""record: the one way an entry is written."""

from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
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
