"""A server claims only work whose labels it has: those its kind needs, and one that a job may need besides."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.engine import listing, queue, widths
from pabal.engine.exchange import Capacity, Exchange
from pabal.engine.kinds import BadKind, Kinds
from pabal.engine.listing.jobs import Wanted
from pabal.engine.queue import BadJob, NewJob, Priority
from pabal.engine.why import tell_job
from tests.support.servers import serving, until_ended
from tests.support.work import begin_life, do_nothing, enqueue, hold_route, place

FRAME, CUT = "video.frame", "video.cut"
BOT = "bot:busan1"


def make_kinds() -> Kinds:
    kinds = Kinds()
    kinds.plain(FRAME, needs=frozenset({"gpu", "nas"}))(do_nothing)
    kinds.plain(CUT, slots=1)(do_nothing)
    return kinds


async def take(db: Database, *labels: str, room: Capacity | None = None, rounds: int = 1) -> list[int]:
    """What a server with these labels claims at its first look."""
    exchange, worker = Exchange(db, make_kinds(), frozenset(labels)), await begin_life(db)
    await hold_route(db, worker, BOT)
    exchange.hear(f"queue:{BOT}", None)
    found: list[int] = []
    for _ in range(rounds):
        _, jobs = await exchange.run(worker, [], room or Capacity(100, 100, lambda _kind: True, 100))
        found += [job.id for job in jobs]
    return found


async def test_a_kind_is_claimed_only_where_all_it_needs_is_there(db: Database) -> None:
    frame, cut = await enqueue(db, FRAME), await enqueue(db, CUT)

    assert await take(db, "gpu") == [cut]
    assert await take(db, "gpu", "nas", "tape") == [frame]


async def test_nor_from_a_route_it_holds(db: Database) -> None:
    frame = await enqueue(db, FRAME, route=BOT)

    assert await take(db, "gpu") == []
    assert await take(db, "nas", "gpu") == [frame]


async def test_a_job_may_need_a_label_that_its_kind_does_not(db: Database) -> None:
    labelled, plain = await enqueue(db, CUT, label="nas"), await enqueue(db, CUT)

    assert await take(db) == [plain]
    assert await take(db, "gpu") == []
    assert await take(db, "nas") == [labelled]
    found = await place(db, labelled)
    assert (found.label, found.route, found.queue) == ("nas", None, f"{CUT}@nas")


async def test_both_count(db: Database) -> None:
    job = await enqueue(db, FRAME, label="tape")

    assert await take(db, "gpu", "nas") == []
    assert await take(db, "gpu", "nas", "tape") == [job]


async def test_jobs_with_and_without_a_label_share_the_slots_of_their_kind(db: Database) -> None:
    first = await enqueue(db, CUT, label="nas", priority=Priority.HIGH)
    await enqueue(db, CUT)
    room = Capacity(100, 100, lambda _kind: True, 100, {frozenset({CUT}): 1})

    assert await take(db, "nas", room=room) == [first]


async def test_a_hint_about_a_label_of_others_is_no_route(db: Database) -> None:
    exchange = Exchange(db, make_kinds(), frozenset({"nas"}))
    await exchange.run(await begin_life(db), [], Capacity(1, 1, lambda _kind: True))
    await exchange.run(await begin_life(db), [], Capacity(1, 1, lambda _kind: True))

    exchange.hear(f"queue:{CUT}@tape", None)
    assert (exchange.dirty, exchange._dirty_routes) == (frozenset(), set())
    exchange.hear(f"queue:{CUT}@nas", None)
    assert exchange.dirty == {f"{CUT}@nas"}


async def test_a_bulk_keeps_the_labels_of_its_jobs_apart(db: Database) -> None:
    async with db.transaction() as tx:
        made = await queue.enqueue_many(tx, [NewJob(CUT, label=label) for label in ("nas", "nas", "gpu")])
        queues = [(await queue.get_place(tx, one.id)).queue for one in made]
        listed = await listing.list_jobs(tx, Wanted(None, queue=f"{CUT}@nas"))
        of_kind = await listing.list_jobs(tx, Wanted(None, queue=CUT))

    assert queues == [f"{CUT}@nas", f"{CUT}@nas", f"{CUT}@gpu"]
    assert sorted(line.id for line in listed.items) == [made[0].id, made[1].id]
    assert len(of_kind.items) == 3


async def test_why_names_the_label_that_no_server_has(db: Database) -> None:
    kinds = make_kinds()
    meta = {"kinds": list(kinds), "roles": ["worker"], "labels": ["nas"], "needs": kinds.needs}
    await begin_life(db, meta=meta)
    frame, cut = await enqueue(db, FRAME), await enqueue(db, CUT, label="nas")

    async with db.transaction() as tx:
        missing, there = await tell_job(tx, frame), await tell_job(tx, cut)

    assert [line.values for line in missing.lines if line.code == "label_missing"] == [{"labels": ["gpu"]}]
    assert missing.advice == ["start_server", "cancel_job"]
    assert [line.code for line in there.lines] == ["enqueued", "waits_for_slot"]


@pytest.mark.parametrize("job", [NewJob(CUT, label="GPU"), NewJob(CUT, label=""), NewJob(CUT, label="a", route=BOT)])
async def test_a_bad_label_is_refused(db: Database, job: NewJob) -> None:
    with pytest.raises(BadJob):
        async with db.transaction() as tx:
            await queue.enqueue(tx, job)


def test_a_kind_that_cannot_need_it_is_refused() -> None:
    with pytest.raises(BadKind):
        Kinds().plain(CUT, needs=frozenset({"GPU"}))(do_nothing)
    with pytest.raises(BadKind):
        Kinds().inside(CUT, needs=frozenset({"gpu"}))(do_nothing)


async def test_a_server_takes_what_it_has_the_labels_for_and_says_which_it_has(db: Database, tmp_path: Path) -> None:
    kinds = make_kinds()
    kinds.shared_lanes("licence", width=1)
    behind, frame = await enqueue(db, CUT, label="tape"), await enqueue(db, FRAME, lane="licence:ae")

    async with serving(db, kinds, tmp_path, labels=frozenset({"gpu", "nas"})):
        await until_ended(db, frame)
        async with db.transaction() as tx:
            [server] = await listing.list_servers(tx)
            width = await widths.find(tx, "licence")

    assert (await place(db, behind)).place == "ready"
    assert (server.labels, server.meta["needs"]) == (["gpu", "nas"], {FRAME: ["gpu", "nas"]})
    assert width is not None
    assert width.declared == 1
