"""Reading facts: in order however commits interleave; live readers resume with doubles perhaps, never with gaps."""

import asyncio
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pabal.base.database import Database, Tx
from pabal.engine.facts import Batch, Fact, NewFact, Reader, Subscriber, deliver_once, record, record_many
from pabal.engine.reading import Cursor, TokenUnreadable
from pabal.engine.transitions import MoveNotAllowed
from tests.support.adgroup import Event, add_groups, create_table, get_group, say
from tests.support.facts import create_seen, deliver_all, notebook, seen_by, tell


@pytest.fixture
async def facts(db: Database) -> Database:
    await create_seen(db)
    return db


def numbers(batch: Batch) -> list[int]:
    return [fact.data["n"] for fact in batch.facts]


async def test_a_live_reader_sees_what_is_committed_after_it_came(facts: Database) -> None:
    await tell(facts, 1)
    reader = Reader(facts)
    first = await reader.read_once()
    await tell(facts, 2, 3)

    second = await reader.read_once()
    third = await reader.read_once()

    assert [numbers(batch) for batch in (first, second, third)] == [[], [2, 3], []]


async def test_a_live_reader_waits_until_there_is_something(facts: Database) -> None:
    waited = count(1)

    async def tell_at_the_second_wait() -> None:
        if next(waited) == 2:
            await tell(facts, 1)

    reader = Reader(facts, wait=tell_at_the_second_wait)

    async for batch in reader:
        assert numbers(batch) == [1]
        break

    assert next(waited) == 3


async def test_resuming_gives_the_batch_again_and_all_that_follows(facts: Database) -> None:
    reader = Reader(facts, batch=2)
    await reader.read_once()
    await tell(facts, 1, 2, 3, 4, 5)
    batches = [await reader.read_once() for _ in range(3)]
    await tell(facts, 6)

    for number, last in enumerate(batches):
        resumed = Reader(facts, batch=2, resume=last.token)
        again = [n for _ in range(4) for n in numbers(await resumed.read_once())]

        assert again == list(range(2 * number + 1, 7))


async def test_resuming_misses_no_fact_whose_commit_was_still_open(facts: Database) -> None:
    reader = Reader(facts)
    await reader.read_once()
    async with facts.transaction() as slow:
        await record(slow, "thing.happened", "slow:1", {"n": 1})
        await tell(facts, 2)
        last = await reader.read_once()

    resumed = Reader(facts, resume=last.token)

    assert numbers(last) == [2]
    assert numbers(await resumed.read_once()) == [1, 2]
    assert numbers(await reader.read_once()) == [1]


async def test_a_reader_sees_only_the_names_and_units_it_asked_for(facts: Database) -> None:
    reader = Reader(facts, names=("thing.*",), units=[1, 2])
    await reader.read_once()
    async with facts.transaction() as tx:
        told = [
            ("thing.happened", 1),
            ("thing.happened", 3),
            ("other.happened", 2),
            ("thing.ended", 2),
            ("thing.ended", None),
        ]
        await record_many(tx, [NewFact(name, "x:1", {"n": n}, unit) for n, (name, unit) in enumerate(told)])

    assert numbers(await reader.read_once()) == [0, 3]


@pytest.mark.parametrize(
    "token", ["", "1:2", "1:1:~", "1:1:x", "1:1:~2:2:~x", "9:5:", "0:0:", "5:9:4", "5:9:9", "5:9:7,6", "5:9:6,6"]
)
def test_a_token_that_never_came_from_us_is_refused(token: str) -> None:
    with pytest.raises(TokenUnreadable):
        Cursor.parse(token)


@pytest.mark.parametrize("cursor", [Cursor("5:9:6,7"), Cursor("5:5:", "6:9:7", 12)])
async def test_every_token_we_accept_is_one_the_database_accepts(facts: Database, cursor: Cursor) -> None:
    batch = await Reader(facts, resume=cursor.token).read_once()

    assert batch.token == cursor.token


@pytest.mark.parametrize("cursor", [Cursor("5:9:6,7"), Cursor("5:5:", "6:9:7", 12)])
def test_a_token_reads_back_as_the_cursor_it_was_made_from(cursor: Cursor) -> None:
    assert Cursor.parse(cursor.token) == cursor


_examples = count()

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("record"), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("end"), st.integers(0, 2), st.booleans()),
        st.tuples(st.just("deliver"), st.none(), st.none()),
    ),
    min_size=3,
    max_size=30,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=STEPS, batch=st.integers(1, 4))
async def test_however_commits_interleave_nothing_is_lost_doubled_or_swapped_within_a_subject(
    facts: Database, steps: list[tuple[str, int, int]], batch: int
) -> None:
    name = f"reader {next(_examples)}"
    subscriber = notebook(name, batch=batch)
    await deliver_once(facts, subscriber)
    writers = [Writer(facts), Writer(facts), Writer(facts)]

    committed: list[tuple[str, int]] = []
    for what, who, detail in steps:
        if what == "record":
            await writers[who].record(subject=f"{who}:{detail}")
        elif what == "end":
            committed += await writers[who].end(commit=bool(detail))
        else:
            await deliver_once(facts, subscriber)
    for writer in writers:
        committed += await writer.end(commit=True)
    await deliver_all(facts, subscriber)

    seen = [(fact.subject, fact.data["n"]) for fact in await seen_by(facts, name)]
    assert sorted(seen) == sorted(committed)
    for subject in {subject for subject, _ in seen}:
        own = [number for of, number in seen if of == subject]
        assert own == sorted(own)


class Writer:
    """A transaction that stays open until it is told to end. Its subjects are its own, as a lock would make them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._open: tuple[AbstractAsyncContextManager[Tx], Tx] | None = None
        self._told: list[tuple[str, int]] = []
        self._count = 0

    async def record(self, *, subject: str) -> None:
        if self._open is None:
            context = self._db.transaction()
            self._open = (context, await context.__aenter__())
        self._count += 1
        self._told.append((subject, self._count))
        await record(self._open[1], "thing.happened", subject, {"n": self._count})

    async def end(self, *, commit: bool) -> list[tuple[str, int]]:
        told, self._told = self._told, []
        if self._open is None:
            return []
        (context, _), self._open = self._open, None
        if commit:
            await context.__aexit__(None, None, None)
            return told
        await context.__aexit__(ZeroDivisionError, ZeroDivisionError(), None)
        return []


async def test_under_load_each_subject_is_told_in_order_and_nothing_is_lost_or_doubled(facts: Database) -> None:
    await create_table(facts)
    ids = await add_groups(facts, 4)
    subscriber = echoing(notebook("notebook", "adgroup.*", "echo.*", batch=7))
    await deliver_once(facts, subscriber)
    reader = Reader(facts, names=("adgroup.*",), batch=5)
    live = (await reader.read_once()).facts
    writing = [asyncio.create_task(back_and_forth(facts, group_id)) for group_id in ids * 2]

    while not all(writer.done() for writer in writing):
        await deliver_once(facts, subscriber)
        live += (await reader.read_once()).facts
    await asyncio.gather(*writing)
    await deliver_all(facts, subscriber)
    while batch := (await reader.read_once()).facts:
        live += batch

    seen = await seen_by(facts)
    for group_id in ids:
        version = (await get_group(facts, group_id)).version
        told = [fact.data["version"] for fact in seen if fact.subject == f"adgroup:{group_id}"]
        echoed = [fact.data["version"] for fact in seen if fact.subject == f"echo:adgroup:{group_id}"]
        shown = [fact.data["version"] for fact in live if fact.subject == f"adgroup:{group_id}"]
        assert told == echoed == shown == list(range(2, version + 1))


def echoing(inner: Subscriber) -> Subscriber:
    """Records a fact for every one it is handed, in the transaction that reads: it must come round to it too."""

    async def handle(tx: Tx, handed: list[Fact]) -> None:
        await inner.handle(tx, handed)
        own = [fact for fact in handed if fact.name.startswith("adgroup.")]
        await record_many(tx, [NewFact("echo.heard", f"echo:{fact.subject}", fact.data) for fact in own])

    return replace(inner, handle=handle)


async def back_and_forth(db: Database, group_id: int) -> None:
    """Two of these on one group meet each other; who comes second is refused and goes on."""
    for _ in range(15):
        for event in (Event.COMPLETE_SETUP, Event.REJECT):
            with suppress(MoveNotAllowed):
                await say(db, group_id, event)
