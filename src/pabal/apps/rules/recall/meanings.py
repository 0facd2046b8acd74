"""What cases mean, as vectors: the only code that knows pgvector.

Their table needs the extension `vector` and the dimensions of a model, so it is made where there are both, and dropped
and made again for another model. Everything in it can be made again: nothing is lost with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.rules.recall.model import CaseKind, Meaning
from pabal.base.database import DatabaseError, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.platform.tenants import Scope

SQL = load(__file__)
# pgvector's own: what one vector holds, and what its index takes
MOST_DIMENSIONS, MOST_INDEXED = 16_000, 2_000
# how soon it is tried again to make an extension that could not be made
TRY_AGAIN = timedelta(hours=1)
_TYPE = "vector(7)"

declare("rules.vectors_failed", "Recalls by words alone because the vectors could not be read", level=30)


@dataclass(frozen=True, slots=True)
class Vectors:
    """How a database stands to vectors. `version` is that of the extension, where it is made; `model` is the one the
    table's vectors are of; `problem` is why the extension could not be made when that was last tried."""

    model: str
    dimensions: int
    made_extension: bool
    problem: str
    tried_at: datetime | None
    version: str | None
    is_available: bool
    has_table: bool

    def holds(self, model: str) -> bool:
        return self.has_table and self.version is not None and self.model == model

    @property
    def lack(self) -> str | None:
        """Why there can be no vectors at all; None where there can."""
        if self.version is not None:
            return None
        if not self.is_available:
            return "no_extension"
        return "extension_refused" if self.problem else None


@dataclass(frozen=True, slots=True)
class LikeCase:
    """`likeness` is the cosine: 1 is the same, 0 has nothing to do with it."""

    id: int
    likeness: float


@dataclass(frozen=True, slots=True)
class CaseText:
    id: int
    request: str


async def look(tx: Tx) -> Vectors:
    found = await tx.one(Vectors, SQL.look)
    assert found is not None  # noqa: S101 -- a row of the migration # nosec B101
    return found


async def open_extension(tx: Tx) -> bool:
    """Makes the extension where that is possible and allowed. What PostgreSQL refuses is noted, and tried again later:
    whoever may make it can do so at any time."""
    now = await look(tx)
    if now.version is not None:
        return True
    if not now.is_available or (now.tried_at is not None and now.problem and tx.now - now.tried_at < TRY_AGAIN):
        return False
    await tx.rows(SQL.lock)
    # servers that start together: the first one has made it
    if (await look(tx)).version is not None:
        return True
    try:
        async with tx.savepoint():
            await tx.script(SQL.make_extension.text)
    except DatabaseError as error:
        await tx.run(SQL.note_extension, made_extension=False, problem=str(error)[:300])
        return False
    await tx.run(SQL.note_extension, made_extension=True, problem="")
    return True


async def make_table(tx: Tx, model: str, dimensions: int) -> None:
    """Empty, for the vectors of this model; those of another one go."""
    await tx.rows(SQL.lock)
    await tx.rows(SQL.open_vectors)
    await tx.script(SQL.drop_table.text)
    await tx.script(SQL.make_table.text.replace(_TYPE, f"vector({int(dimensions)})"))
    if dimensions <= MOST_INDEXED:
        await tx.script(SQL.make_index.text)
    await tx.run(SQL.note_model, model=model, dimensions=dimensions)


async def remove(tx: Tx) -> bool:
    """As if there never had been a model: the extension goes too, if it came by us and nobody else uses it."""
    now = await look(tx)
    if not (now.has_table or now.made_extension or now.problem):
        return False
    await tx.rows(SQL.lock)
    await tx.script(SQL.drop_table.text)
    if now.made_extension and now.version is not None:
        try:
            async with tx.savepoint():
                await tx.script(SQL.drop_extension.text)
        except DatabaseError as error:
            emit("rules.vectors_failed", reason=str(error)[:200])
    await tx.run(SQL.forget_all)
    return True


async def list_lacking(tx: Tx, model: str, most: int) -> list[CaseText]:
    """Cases whose meaning this model was not asked for yet, the newest first."""
    statement = SQL.list_lacking if (await look(tx)).holds(model) else SQL.list_any
    return await tx.all(CaseText, statement, most=most)


async def count(tx: Tx) -> tuple[int, int]:
    """How many cases have a vector, of how many."""
    kept = await tx.value(SQL.count_kept) if (await look(tx)).has_table else 0
    return kept, await tx.value(SQL.count_cases)


async def keep(tx: Tx, numbers: Mapping[int, Sequence[float]]) -> None:
    """Of cases that were forgotten meanwhile nothing is kept."""
    await tx.rows(SQL.open_vectors)
    for case_id in sorted(numbers):
        await tx.run(SQL.keep, id=case_id, numbers=list(numbers[case_id]))


async def list_near(
    tx: Tx, scope: Scope, meaning: Meaning, *, kind: CaseKind, most: int, also: Sequence[int]
) -> dict[int, float]:
    """How alike these mean, and the most alike of all in sight; nothing where there are no vectors of this model."""
    if not (await look(tx)).holds(meaning.model):
        return {}
    asked = list(meaning.numbers)
    try:
        # a server with another model may make the table again at any time
        async with tx.savepoint():
            await tx.rows(SQL.open_vectors)
            given = {"kind": kind.value, "units": scope.listed, "most": most}
            near = await tx.all(LikeCase, SQL.list_near, asked=asked, **given)
            known = await tx.all(LikeCase, SQL.measure, asked=asked, ids=list(also))
    except DatabaseError as error:
        emit("rules.vectors_failed", reason=str(error)[:200])
        return {}
    return {one.id: one.likeness for one in (*near, *known)}
