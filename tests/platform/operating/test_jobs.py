"""Cancelling and retrying: by those who may, of what they may see, and written down."""

import pytest

from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.kinds import Kinds
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import JobNotFound
from pabal.platform import audit, operating
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.operating import EndedBefore, HandlerNotHere, NotRetryable, TooMany
from tests.support.people import Tree, person, plant
from tests.support.work import KINDS, enqueue, place, places, settle, start, told


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


def shown(job_id: int) -> str:
    return ids.show("job", job_id)


async def cancel(db: Database, actor: Actor, *texts: str, kinds: Kinds = KINDS, **how: bool) -> list[str]:
    async with db.transaction() as tx:
        return [one.result for one in await operating.cancel_jobs(tx, actor, texts, kinds=kinds, owners={}, **how)]


async def entries(db: Database, action: str) -> list[audit.Entry]:
    async with db.transaction() as tx:
        return await audit.list_entries(tx, audit.Wanted(action=action))


async def test_a_waiting_job_ends_and_a_running_one_is_signalled(db: Database, tree: Tree) -> None:
    running, waiting = await start(db, unit_id=tree.nampo.id), await enqueue(db, unit_id=tree.nampo.id)

    became = await cancel(db, person(tree.nampo), shown(waiting), shown(running.id))

    assert became == ["cancelled", "signalled"]
    assert await told(db, waiting) == ["cancelled by user:1"]
    assert (await place(db, running.id)).cancel_at is not None


async def test_a_cancel_is_in_the_audit_of_its_unit(db: Database, tree: Tree) -> None:
    job = await enqueue(db, unit_id=tree.nampo.id)

    await cancel(db, person(tree.busan), shown(job))

    [entry] = await entries(db, "jobs.cancel")
    assert (entry.about, entry.unit_id, entry.actor) == (shown(job), tree.nampo.id, "user:1")
    assert entry.after == {"result": "cancelled"}


async def test_another_branchs_job_is_not_found_and_not_touched(db: Database, tree: Tree) -> None:
    theirs, nobodys = await enqueue(db, unit_id=tree.gangnam.id), await enqueue(db)

    became = await cancel(db, person(tree.nampo), shown(theirs), shown(nobodys), shown(theirs)[:8])

    assert became == ["not_found", "not_found", "not_found"]
    assert await places(db, theirs, nobodys) == ["ready", "ready"]
    assert await entries(db, "jobs.*") == []
    async with db.transaction() as tx:
        with pytest.raises(JobNotFound):
            await operating.cancel_job(tx, person(tree.nampo), shown(theirs), kinds=KINDS, owners={})
        with pytest.raises(JobNotFound):
            await operating.retry_job(tx, person(tree.nampo), shown(theirs), owners={})


async def test_a_viewer_changes_nothing(db: Database, tree: Tree) -> None:
    job = await enqueue(db, unit_id=tree.nampo.id)
    viewer = person(tree.nampo, Role.VIEWER)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await operating.cancel_jobs(tx, viewer, [shown(job)], kinds=KINDS, owners={})
        with pytest.raises(NotAllowed):
            await operating.retry_jobs(tx, viewer, [shown(job)], owners={})

    assert await places(db, job) == ["ready"]


async def test_a_job_without_its_code_here_is_left_alone_unless_by_force(db: Database, tree: Tree) -> None:
    running, job = await start(db), await enqueue(db)
    hq = person(tree.hq)

    refused = await cancel(db, hq, shown(job), shown(running.id), kinds=Kinds())
    async with db.transaction() as tx:
        with pytest.raises(HandlerNotHere):
            await operating.cancel_job(tx, hq, shown(job), kinds=Kinds(), owners={})
    forced = await cancel(db, hq, shown(job), kinds=Kinds(), force=True)

    assert (refused, forced) == (["handler_not_here", "signalled"], ["cancelled"])


async def test_a_dry_run_says_what_would_be_done(db: Database, tree: Tree) -> None:
    over, job = await start(db), await enqueue(db)
    await settle(db, over, Done())

    would = await cancel(db, person(tree.hq), shown(job), shown(over.id), dry_run=True)

    assert would == ["would_cancel", "ended_before"]
    assert await places(db, job) == ["ready"]
    assert await entries(db, "jobs.*") == []


async def test_what_ended_before_is_said_so(db: Database, tree: Tree) -> None:
    over = await start(db)
    await settle(db, over, Done())

    async with db.transaction() as tx:
        with pytest.raises(EndedBefore):
            await operating.cancel_job(tx, person(tree.hq), shown(over.id), kinds=KINDS, owners={})
        with pytest.raises(NotRetryable):
            await operating.retry_job(tx, person(tree.hq), shown(over.id), owners={})


async def test_a_retry_is_a_new_job_of_the_same_unit_that_names_the_old(db: Database, tree: Tree) -> None:
    failed = await start(db, max_failures=1, unit_id=tree.nampo.id, args={"a": 1}, about="room:1")
    await settle(db, failed, Retry("no paper"))

    async with db.transaction() as tx:
        done = await operating.retry_job(tx, person(tree.busan, Role.OPERATOR), shown(failed.id), owners={})

    assert done.made is not None
    new = await place(db, ids.read("job", done.made))
    assert (new.args, new.about, new.unit_id, new.cause) == ({"a": 1}, "room:1", tree.nampo.id, shown(failed.id))
    [entry] = await entries(db, "jobs.retry")
    assert (entry.about, entry.after) == (shown(failed.id), {"job": done.made})


async def test_many_are_retried_at_once_each_with_its_own_answer(db: Database, tree: Tree) -> None:
    failed, ready = await start(db, max_failures=1), await enqueue(db)
    await settle(db, failed, Retry("no paper"))

    async with db.transaction() as tx:
        texts = [shown(failed.id), shown(ready), "job_zzzz", shown(failed.id), "no id"]
        done = await operating.retry_jobs(tx, person(tree.hq), texts, owners={})

    assert [one.result for one in done] == ["enqueued", "not_retryable", "not_found", "enqueued", "bad_id"]
    assert done[0].made == done[3].made
    assert len(await entries(db, "jobs.retry")) == 1


async def test_two_hundred_are_the_most_at_once(db: Database, tree: Tree) -> None:
    async with db.transaction() as tx:
        with pytest.raises(TooMany):
            await operating.cancel_jobs(tx, person(tree.hq), ["job_1"] * 201, kinds=KINDS, owners={})
