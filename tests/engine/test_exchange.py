"""One commit settles the last batch and claims the next; floors hide nothing for long."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from datetime import datetime, timedelta

import pytest

from pabal.base.database import Database, DatabaseError, Tx
from pabal.engine import queue
from pabal.engine.endings import Returned
from pabal.engine.exchange import Capacity, Exchange
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import NewJob, Priority
from tests.support.work import (
    BOT,
    KINDS,
    OTHER,
    PLAIN,
    SQL,
    advance,
    begin_blocked,
    begin_life,
    claim_one,
    do_nothing,
    enqueue,
    enqueue_many,
    hold_route,
    lapse,
    places,
    results,
    start,
    until_blocked,
)

QUICK = Capacity(quick=100, slow=10, is_quick=lambda _kind: True, routed=10)
FULL = Capacity(quick=0, slow=0, is_quick=lambda _kind: True)


def slow(room: int) -> Capacity:
    return Capacity(quick=100, slow=room, is_quick=lambda _kind: False, routed=room)


async def take(exchange: Exchange, worker: int, room: Capacity = QUICK) -> list[int]:
    _, jobs = await exchange.run(worker, [], room)
    return [job.id for job in jobs]


async def quiet(db: Database, kinds: Kinds = KINDS) -> tuple[Exchange, int]:
    """An exchange that has looked at everything, as after a while without work; its floors are near now."""
    exchange, worker = Exchange(db, kinds), await begin_life(db)
    while exchange.has_hints:
        await exchange.run(worker, [], QUICK)
    return exchange, worker


async def late_row(db: Database) -> tuple[AsyncExitStack, int, datetime]:
    """A job whose transaction is open for longer than the margin of the floors; it commits when the stack closes."""
    stack = AsyncExitStack()
    tx: Tx = await stack.enter_async_context(db.transaction())
    job_id = (await queue.enqueue(tx, NewJob(PLAIN))).id
    await advance(db, 60)
    return stack, job_id, tx.now


async def test_the_last_batch_ends_and_the_next_begins_in_one_commit(db: Database) -> None:
    exchange, worker = await quiet(db)
    first = await start(db)
    second = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)

    settled, jobs = await exchange.run(worker, [(first, Done())], QUICK)

    assert (settled.count, [job.id for job in jobs]) == (1, [second])
    assert await places(db, first.id, second) == ["ended", "lease"]


async def test_the_next_of_a_lane_is_claimed_in_the_commit_that_ends_the_one_before(db: Database) -> None:
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="l")] * 2)]
    exchange, worker = Exchange(db, KINDS), await begin_life(db)
    _, [first] = await exchange.run(worker, [], QUICK)
    exchange.hear(f"queue:{PLAIN}", None)

    _, [second] = await exchange.run(worker, [(first, Done())], QUICK)

    assert [first.id, second.id] == made


async def test_so_it_is_when_nobody_had_announced_anything(db: Database) -> None:
    exchange, worker = await quiet(db)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="l")] * 2)]
    first = await claim_one(db, worker)

    _, [second] = await exchange.run(worker, [(first, Done())], QUICK)

    assert [first.id, second.id] == made


async def test_a_life_that_lapsed_settles_but_claims_nothing_and_keeps_its_hints(db: Database) -> None:
    exchange, worker = await quiet(db)
    job = await start(db)
    waiting = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)
    await lapse(db, worker)

    settled, jobs = await exchange.run(worker, [(job, Done())], QUICK)

    assert (settled.count, jobs, exchange.has_hints) == (1, [], True)
    assert await take(exchange, await begin_life(db)) == [waiting]


async def test_a_server_without_room_settles_and_keeps_its_hints(db: Database) -> None:
    exchange, worker = await quiet(db)
    job = await start(db)
    waiting = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)

    settled, jobs = await exchange.run(worker, [(job, Retry("bad"))], FULL)

    assert (settled.count, jobs) == (1, [])
    assert await take(exchange, worker) == [waiting]


async def test_an_exchange_that_fails_keeps_its_hints(db: Database) -> None:
    exchange, worker = await quiet(db)
    waiting = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)
    broken = Job(waiting, "no number", PLAIN, {}, PLAIN, None, None, None, 0, 0, 0, 5, 3, None, None)  # type: ignore[arg-type]

    with pytest.raises((DatabaseError, ValueError, TypeError)):
        await exchange.run(worker, [(broken, Done())], QUICK)

    assert await take(exchange, worker) == [waiting]


async def test_nothing_is_left_to_look_at_when_a_claim_came_back_short(db: Database) -> None:
    await enqueue_many(db, *[NewJob(PLAIN)] * 5)

    exchange, _ = await quiet(db)

    assert not exchange.has_hints


async def test_a_claim_that_was_cut_goes_on(db: Database) -> None:
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN)] * 7)]
    exchange, worker = Exchange(db, KINDS), await begin_life(db)
    room = Capacity(quick=3, slow=3, is_quick=lambda _kind: True, routed=3)

    taken: list[int] = []
    while exchange.has_hints:
        taken += await take(exchange, worker, room)

    assert taken == made


async def test_priorities_go_first_over_all_queues(db: Database) -> None:
    low = await enqueue(db, OTHER, priority=Priority.LOW)
    urgent = await enqueue(db, PLAIN, priority=Priority.URGENT)

    assert await take(Exchange(db, KINDS), await begin_life(db)) == [urgent, low]


async def test_a_long_queue_does_not_starve_the_others(db: Database) -> None:
    await enqueue_many(db, *[NewJob(PLAIN)] * 50)
    other = await enqueue(db, OTHER)
    exchange, worker = Exchange(db, KINDS), await begin_life(db)
    room = Capacity(quick=2, slow=2, is_quick=lambda _kind: True, routed=2)

    rounds = [await take(exchange, worker, room) for _ in range(len(list(KINDS)))]

    assert any(other in taken for taken in rounds)


async def test_what_committed_late_is_behind_the_floor_until_a_hint_says_since_when(db: Database) -> None:
    stack, job_id, at = await late_row(db)
    exchange, worker = await quiet(db)
    await stack.aclose()
    exchange._dirty.add(PLAIN)  # a hint for a newer row of the same queue
    unseen = await take(exchange, worker)

    exchange.hear(f"queue:{PLAIN}", at)

    assert unseen == []
    assert await take(exchange, worker) == [job_id]


async def test_a_claim_of_nothing_is_not_looked_through_again(db: Database) -> None:
    """Behind an old snapshot every dead row would be walked at each claim of an idle server."""
    exchange, worker = await quiet(db)
    stack, job_id, at = await late_row(db)
    newer = at + timedelta(minutes=1)
    exchange.hear(f"queue:{PLAIN}", newer)
    nothing = await take(exchange, worker)
    await stack.aclose()

    exchange.hear(f"queue:{PLAIN}", newer)

    assert (nothing, await take(exchange, worker)) == ([], [])
    exchange.hear("*", None)
    assert await take(exchange, worker) == [job_id]


async def test_the_announcement_of_an_enqueue_carries_the_moment_that_finds_it(db: Database) -> None:
    heard: list[dict[str, datetime | None]] = []

    async def remember(hints: dict[str, datetime | None]) -> None:
        heard.append(dict(hints))

    stack, job_id, at = await late_row(db)
    exchange, worker = await quiet(db)
    db.announce = remember
    await stack.aclose()
    db.announce = None

    [hints] = heard
    assert hints == {f"queue:{PLAIN}": at}
    for topic, since in hints.items():
        exchange.hear(topic, since)
    assert await take(exchange, worker) == [job_id]


@pytest.mark.parametrize(("room", "is_told"), [(2, False), (1, True)])
async def test_nobody_is_told_of_what_was_claimed_in_the_same_commit(db: Database, room: int, is_told: bool) -> None:
    """Where not all could be taken, everybody is."""
    heard: list[dict[str, datetime | None]] = []

    async def remember(hints: dict[str, datetime | None]) -> None:
        heard.append(dict(hints))

    exchange, worker = await quiet(db)
    first = await start(db, lane="lane")
    second = await enqueue(db, lane="lane")
    db.announce = remember

    _, jobs = await exchange.run(worker, [(first, Done())], slow(room))

    assert [job.id for job in jobs] == [second]
    assert any(f"queue:{PLAIN}" in hints for hints in heard) is is_told


async def test_what_committed_late_and_unannounced_is_found_by_the_sweep(db: Database) -> None:
    stack, job_id, _ = await late_row(db)
    exchange, worker = await quiet(db)
    await stack.aclose()

    exchange.hear("*", None)

    assert await take(exchange, worker) == [job_id]


async def test_a_hint_heard_while_a_claim_is_under_way_is_not_forgotten(db: Database) -> None:
    stack, late, at = await late_row(db)
    exchange, worker = await quiet(db)
    newer = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)
    async with AsyncExitStack() as obstacle:
        connection = await db.connect()
        obstacle.push_async_callback(connection.close)
        await connection.execute("begin")
        await connection.execute(SQL.occupy_lease.text, newer)
        claiming = asyncio.create_task(take(exchange, worker))
        await until_blocked(db, claiming)
        await stack.aclose()
        exchange.hear(f"queue:{PLAIN}", at)
        await connection.execute("rollback")
        taken = await claiming

    assert sorted(taken + await take(exchange, worker)) == sorted([late, newer])


async def test_a_slow_kind_is_not_claimed_beyond_the_free_slots_sweep_or_not(db: Database) -> None:
    stack, _, _ = await late_row(db)
    exchange, worker = await quiet(db)
    await stack.aclose()
    await enqueue_many(db, *[NewJob(PLAIN)] * 5)
    exchange.hear("*", None)

    taken = await take(exchange, worker, slow(2))

    assert len(taken) == 2
    assert len(await take(exchange, worker, slow(2))) == 2


async def test_kinds_of_newer_servers_stay_and_their_hints_harm_nobody(db: Database) -> None:
    unknown = await enqueue(db, "newer.kind")
    exchange, worker = await quiet(db)

    exchange.hear("queue:newer.kind", None)

    assert await take(exchange, worker) == []
    assert await places(db, unknown) == ["ready"]


async def test_inside_work_is_never_leased(db: Database) -> None:
    kinds = Kinds()
    kinds.plain(PLAIN)(do_nothing)
    kinds.inside("test.inside")(do_nothing)
    exchange, worker = await quiet(db, kinds)
    inside = await enqueue(db, "test.inside")

    exchange.hear("queue:test.inside", None)
    exchange.hear("*", None)

    assert await take(exchange, worker) == []
    assert await places(db, inside) == ["ready"]


@pytest.mark.parametrize("hint", [f"queue:{BOT}", "*"])
async def test_routed_work_is_claimed_by_a_hint_or_by_the_sweep(db: Database, hint: str) -> None:
    exchange, worker = await quiet(db)
    await hold_route(db, worker)
    job_id = await enqueue(db, route=BOT)

    assert exchange.hear(hint, None)

    assert await take(exchange, worker) == [job_id]


@pytest.mark.parametrize(("topic", "concerns"), [("delayed", False), ("signals", False), (f"queue:{PLAIN}", True)])
async def test_only_hints_about_queues_concern_the_exchange(db: Database, topic: str, concerns: bool) -> None:
    exchange, _ = await quiet(db)

    assert exchange.hear(topic, None) is concerns
    assert exchange.has_hints is concerns


async def test_a_job_settled_by_mistake_twice_in_one_batch_ends_once(db: Database) -> None:
    exchange, worker = await quiet(db)
    job = await start(db)

    await exchange.run(worker, [(job, Done()), (job, Done())], FULL)

    assert await results(db, job.id) == [(1, "done", True)]


async def test_routed_work_has_room_of_its_own(db: Database) -> None:
    exchange, worker = await quiet(db)
    await hold_route(db, worker)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, route=BOT)] * 3)]
    await enqueue_many(db, *[NewJob(PLAIN)] * 3)
    exchange.hear("*", None)

    taken = await take(exchange, worker, Capacity(quick=0, slow=0, is_quick=lambda _kind: False, routed=2))
    left = await take(exchange, worker, Capacity(quick=0, slow=0, is_quick=lambda _kind: False, routed=5))

    assert (taken, left) == (made[:2], made[2:])


async def test_a_kind_may_limit_what_one_claim_takes_and_goes_on(db: Database) -> None:
    kinds = Kinds()
    kinds.plain(PLAIN, claim_most=lambda: 2)(do_nothing)
    exchange, worker = Exchange(db, kinds), await begin_life(db)
    await hold_route(db, worker)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, route=BOT)] * 5)]

    rounds: list[list[int]] = []
    while exchange.has_hints and len(rounds) < 5:
        rounds.append(await take(exchange, worker))

    assert [taken for taken in rounds if taken] == [made[:2], made[2:4], made[4:]]


@pytest.mark.parametrize("names", [(PLAIN, OTHER), (OTHER, PLAIN)])
async def test_two_long_queues_take_turns(db: Database, names: tuple[str, str]) -> None:
    kinds = Kinds()
    for name in names:
        kinds.plain(name)(do_nothing)
    await enqueue_many(db, *[NewJob(PLAIN)] * 20, *[NewJob(OTHER)] * 20)
    exchange, worker = Exchange(db, kinds), await begin_life(db)
    room = Capacity(quick=2, slow=2, is_quick=lambda _kind: True, routed=2)

    taken = [(await exchange.run(worker, [], room))[1][0].kind for _ in range(4)]

    assert sorted(taken[:2]) == sorted(taken[2:]) == sorted(names)


async def test_what_is_handed_back_is_announced_with_its_turn_and_not_claimed_in_the_same_commit(db: Database) -> None:
    exchange, worker = await quiet(db)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN)] * 3)]
    exchange.hear(f"queue:{PLAIN}", None)
    _, jobs = await exchange.run(worker, [], QUICK)
    turn = jobs[0].ready_at
    await advance(db, 60)
    other, elsewhere = await quiet(db)
    newer = await enqueue(db)
    exchange.hear(f"queue:{PLAIN}", None)
    heard: list[tuple[str, datetime | None]] = []

    async def announce(hints: dict[str, datetime | None]) -> None:
        heard.extend(hints.items())

    db.announce = announce
    attempts = [(job, Returned("not begun in time", keeps_turn=True)) for job in jobs]
    settled, claimed = await exchange.run(worker, attempts, QUICK)
    db.announce = None

    assert (settled.count, claimed) == (3, [])
    assert heard == [(f"queue:{PLAIN}", turn)]
    assert other.hear(*heard[0])
    assert await take(other, elsewhere) == [*made, newer], "in their old turn, before what came later"


async def test_a_hint_that_stands_for_more_than_there_is_room_for_is_not_used_up(db: Database) -> None:
    async with AsyncExitStack() as stack:
        tx = await stack.enter_async_context(db.transaction())
        made = [one.id for one in await queue.enqueue_many(tx, [NewJob(PLAIN)] * 5)]
        await advance(db, 60)
        exchange, worker = await quiet(db)
        at = tx.now
    exchange.hear(f"queue:{PLAIN}", at)

    rounds = [await take(exchange, worker, slow(2)) for _ in range(3)]

    assert rounds == [made[:2], made[2:4], made[4:]]


async def test_a_kind_with_a_limit_is_claimed_apart(db: Database) -> None:
    exchange, worker = await quiet(db)
    limited = [one.id for one in await enqueue_many(db, *[NewJob(OTHER, priority=n) for n in (3, 2, 1, 0)])]
    free = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN)] * 3)]
    exchange.hear("*", None)
    room = Capacity(quick=100, slow=10, is_quick=lambda _kind: True, limits={frozenset({OTHER}): 1})

    first = await take(exchange, worker, room)
    at_its_limit = Capacity(quick=100, slow=10, is_quick=lambda _kind: True, limits={frozenset({OTHER}): 0})

    assert sorted(first) == sorted([limited[3], *free])
    assert await take(exchange, worker, at_its_limit) == []
    assert not exchange.wants(at_its_limit)
    assert exchange.wants(room)


async def held_routes(db: Database, *names: str) -> tuple[Exchange, int]:
    exchange, worker = await quiet(db)
    for name in names:
        await hold_route(db, worker, name)
    return exchange, worker


def routed(room: int) -> Capacity:
    return Capacity(quick=0, slow=0, is_quick=lambda _kind: False, routed=room)


async def test_urgent_jobs_of_any_route_go_first(db: Database) -> None:
    exchange, worker = await held_routes(db, "bot:a", "bot:b", "bot:c")
    await enqueue_many(db, *[NewJob(PLAIN, route="bot:a")] * 30)
    urgent = [
        one.id
        for one in await enqueue_many(
            db,
            *[NewJob(PLAIN, route="bot:b", priority=Priority.URGENT)] * 7,
            *[NewJob(OTHER, route="bot:c", priority=Priority.URGENT)] * 2,
        )
    ]
    exchange.hear("*", None)

    taken = await take(exchange, worker, routed(9))

    assert sorted(taken) == sorted(urgent), "though one of them has more than a third of it"


async def test_urgent_jobs_at_which_another_exchange_looks_go_first_too(db: Database) -> None:
    """It may have no room for all of them; found by the chaos run."""
    exchange, worker = await held_routes(db, "bot:a", "bot:b")
    await enqueue_many(db, *[NewJob(PLAIN, route="bot:a", priority=Priority.URGENT)] * 3, NewJob(PLAIN, route="bot:b"))
    settling = await start(db, OTHER, lane="l")
    exchange.hear("queue:bot:a", None)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lane, lane="l")
        first = await begin_blocked(db, exchange.run(worker, [(settling, Done())], routed(1)))
        exchange.hear("queue:bot:b", None)
        _, [beside] = await exchange.run(worker, [], routed(1))
    await first

    assert (beside.queue, beside.priority) == ("bot:a", Priority.URGENT)


async def test_nothing_of_a_route_is_claimed_in_a_commit_that_hands_back_work_of_another(db: Database) -> None:
    """What is handed back may be more urgent, and so may the rest of its route; found by the chaos run."""
    exchange, worker = await held_routes(db, "bot:a", "bot:b")
    urgent = NewJob(PLAIN, route="bot:a", priority=Priority.URGENT)
    made = [one.id for one in await enqueue_many(db, urgent, urgent, NewJob(PLAIN, route="bot:b"))]
    exchange.hear("*", None)
    _, [begun] = await exchange.run(worker, [], routed(1))

    _, beside = await exchange.run(worker, [(begun, Returned("connection lost"))], routed(3))

    assert beside == []
    assert sorted(await take(exchange, worker, routed(2))) == made[:2], "the urgent ones first, without another hint"
    assert await take(exchange, worker, routed(1)) == made[2:]


async def test_each_route_gets_its_share_and_what_one_does_not_need_goes_to_the_others(db: Database) -> None:
    exchange, worker = await held_routes(db, "bot:a", "bot:b", "bot:c")
    for name, count in (("bot:a", 300), ("bot:b", 300), ("bot:c", 2)):
        await enqueue_many(db, *[NewJob(PLAIN, route=name)] * count)
    exchange.hear("*", None)

    _, jobs = await exchange.run(worker, [], routed(30))

    assert Counter(job.queue for job in jobs) == {"bot:a": 14, "bot:b": 14, "bot:c": 2}


async def test_with_room_for_one_the_routes_take_turns(db: Database) -> None:
    exchange, worker = await held_routes(db, "bot:a", "bot:b", "bot:c")
    for name in ("bot:a", "bot:b", "bot:c"):
        await enqueue_many(db, *[NewJob(PLAIN, route=name)] * 5)
    exchange.hear("*", None)

    taken = [(await exchange.run(worker, [], routed(1)))[1][0].queue for _ in range(6)]

    assert Counter(taken) == {"bot:a": 2, "bot:b": 2, "bot:c": 2}
    assert sorted(taken[:3]) == ["bot:a", "bot:b", "bot:c"]


async def test_priority_holds_over_kinds_that_are_claimed_apart(db: Database) -> None:
    kinds = Kinds()
    kinds.plain(OTHER)(do_nothing)
    kinds.plain(PLAIN, claim_most=lambda: 5)(do_nothing)
    exchange, worker = Exchange(db, kinds), await begin_life(db)
    await hold_route(db, worker, "bot:a")
    await enqueue_many(db, *[NewJob(OTHER, route="bot:a")] * 10)
    urgent = await enqueue(db, PLAIN, route="bot:a", priority=Priority.URGENT)

    assert await take(exchange, worker, routed(1)) == [urgent]


async def test_jobs_of_newer_servers_on_a_route_do_not_keep_the_rest_from_it(db: Database) -> None:
    exchange, worker = await held_routes(db, "bot:a", "bot:b")
    await enqueue_many(db, *[NewJob("newer.kind", route="bot:a", priority=Priority.URGENT)] * 10)
    known = await enqueue(db, route="bot:b", priority=Priority.LOW)
    exchange.hear("*", None)

    assert await take(exchange, worker, routed(4)) == [known]
