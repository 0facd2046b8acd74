"""A process knows its kinds by stable names, each with one handler and a shape."""

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims
from pabal.engine.kinds import BadKind, Job, Kind, Kinds, Shape, merge
from pabal.engine.outcome import Cancel, Done, Outcome
from tests.support.work import SQL, do_nothing, results, start, tell, told


class Steps:
    async def prepare(self, tx: Tx, job: Job) -> None: ...
    async def perform(self, job: Job, prepared: None) -> None: ...
    async def record(self, tx: Tx, prepared: None, result: None) -> Outcome:
        return Done()

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None: ...


async def write_rows(tx: Tx, jobs: list[Job]) -> None: ...


def test_each_shape_is_registered_under_its_name() -> None:
    kinds = Kinds()
    steps = Steps()

    kinds.plain("a.plain")(do_nothing)
    kinds.inside("a.inside", batch=7)(write_rows)
    kinds.steps("a.steps", steps)

    assert list(kinds) == ["a.plain", "a.inside", "a.steps"]
    assert kinds.names(Shape.PLAIN, Shape.STEPS) == ["a.plain", "a.steps"]
    assert kinds["a.inside"].batch == 7
    assert kinds["a.steps"].give_up == steps.give_up
    assert kinds.find("a.unknown") is None


def test_a_plain_function_may_be_ordinary_or_async() -> None:
    kinds = Kinds()

    kinds.plain("a.ordinary")(print)
    kinds.plain("a.async")(do_nothing)

    assert not kinds["a.ordinary"].is_async
    assert kinds["a.async"].is_async


@pytest.mark.parametrize("name", ["", "send", "Messaging.send", "messaging.", "messaging send", "1a.b", "a.b:c"])
def test_a_kind_without_area_or_with_odd_letters_is_refused(name: str) -> None:
    with pytest.raises(BadKind):
        Kinds().plain(name)(do_nothing)


def test_a_name_has_one_handler() -> None:
    kinds = Kinds()
    kinds.plain("a.b")(do_nothing)

    with pytest.raises(BadKind):
        kinds.plain("a.b")(do_nothing)


def test_an_alias_finds_the_kind_and_is_a_name_of_its_own() -> None:
    kinds = Kinds()
    kinds.plain("a.new", aliases=("a.old",))(do_nothing)

    assert kinds["a.old"] is kinds["a.new"]
    assert "a.old" in kinds.names(Shape.PLAIN)
    with pytest.raises(BadKind):
        kinds.plain("a.old")(do_nothing)


def test_several_registries_become_one_and_a_clash_is_refused() -> None:
    one, other = Kinds(), Kinds()
    one.plain("a.b", aliases=("a.old",))(do_nothing)
    other.plain("a.c")(do_nothing)

    merged = merge([one, other])

    assert sorted(merged) == ["a.b", "a.c", "a.old"]
    with pytest.raises(BadKind):
        merge([one, one])


def test_an_attempt_is_numbered_by_its_failures() -> None:
    kind = Kind("a.b", Shape.PLAIN, do_nothing)
    job = Job(1, 9, kind.name, {}, "a.b", None, None, None, 2, 1, 4, 5, 3, None, None)

    assert job.attempt == 3


async def fail_after_writing(tx: Tx, job: Job, reason: str) -> None:
    await tell(tx, job, reason)
    raise RuntimeError("a mistake in give_up")


async def fail_in_the_database(tx: Tx, job: Job, reason: str) -> None:
    await tx.run(SQL.occupy_lease, id=None)


@pytest.mark.parametrize("give_up", [fail_after_writing, fail_in_the_database])
async def test_a_give_up_that_raises_keeps_no_job_open_and_leaves_no_rows(db: Database, give_up: object) -> None:
    kinds = Kinds()
    kinds.plain("test.plain", give_up=give_up)(do_nothing)
    job = await start(db)

    async with db.transaction() as tx:
        settled = await claims.settle(tx, None, [(job, Cancel("no longer"))], kinds)

    assert settled.count == 1
    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await told(db, job.id) == []
