"""Keys: what may not be open twice. Taken in the enqueuer's transaction, released in the commit that ends the job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)

# The kind and the key; a key is only unique among jobs of its kind.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The id its job gets if the key is free, and until when the key is kept after the end."""

    id: int
    until: datetime | None


async def take_keys(tx: Tx, wanted: Mapping[Key, Wanted]) -> dict[Key, tuple[int, bool]]:
    """For each key the id of its job, and whether it is new."""
    taken: dict[Key, tuple[int, bool]] = {}
    left = sorted(wanted)
    await tx.run(SQL.forget_old_keys, **_columns(left))
    # A key found open may be released before we have read whose it is; then its turn is ours.
    while left:
        ids, keeps = [wanted[each].id for each in left], [wanted[each].until for each in left]
        rows = await tx.rows(SQL.take_keys, **_columns(left), ids=ids, keeps=keeps)
        taken.update({(row["scope"], row["key"]): (row["id"], True) for row in rows})
        left = [each for each in left if each not in taken]
        if left:
            rows = await tx.rows(SQL.find_keys, **_columns(left))
            taken.update({(row["scope"], row["key"]): (row["id"], False) for row in rows})
            left = [each for each in left if each not in taken]
    return taken


async def find_open_keys(tx: Tx, kind: str, keys: Sequence[str]) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_keys, kind=kind, keys=list(keys))]


def _columns(keys: Sequence[Key]) -> dict[str, list[str]]:
    return {"scopes": [scope for scope, _ in keys], "keys": [key for _, key in keys]}
