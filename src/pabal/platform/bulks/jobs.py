"""Bulks of many rows as durable work: some rows a transaction, each with its result in the commit of its change."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from pabal.base.database import Database, Tx
from pabal.engine import queue
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob
from pabal.platform.actor import Actor
from pabal.platform.auth import find_actor
from pabal.platform.bulks import actions, store
from pabal.platform.bulks.actions import RUN
from pabal.platform.bulks.choosing import make_order
from pabal.platform.bulks.model import Bulk, Hands
from pabal.platform.language.pairs import put
from pabal.platform.resources import Noun

# What an actor's rows are done with: `(actor) -> hands`
HandsOf = Callable[[Actor], Hands]
ELSEWHERE = timedelta(seconds=2)
_GONE = ("Whoever asked for this may not do it any more.", "요청한 사람에게 더는 권한이 없습니다.")
_BROKEN = ("An error stopped it before this row.", "오류가 나서 이 항목 앞에서 멈췄습니다.")


def make_kinds(nouns: Callable[[], Mapping[str, Noun]], hands: HandsOf) -> Kinds:
    kinds = Kinds()
    kinds.inside(RUN, batch=1, give_up=_give_up)(partial(_run, nouns=nouns, hands=hands))
    return kinds


async def _run(tx: Tx, jobs: Sequence[Job], *, nouns: Callable[[], Mapping[str, Noun]], hands: HandsOf) -> None:
    for job in jobs:
        bulk_id = int(job.args["bulk"])
        has_more = await step(tx, bulk_id, nouns=nouns(), hands=hands)
        if (await store.get_bulk(tx, None, bulk_id)).ended_at is None:
            # a command has the rest in its hands; if it dies, they are still done
            wait = None if has_more else ELSEWHERE
            await queue.enqueue(tx, NewJob(RUN, {"bulk": bulk_id}, about=f"bulk:{bulk_id}", delay=wait))


async def step(tx: Tx, bulk_id: int, *, nouns: Mapping[str, Noun], hands: HandsOf) -> bool:
    """The next rows, with the rights its actor has now. Whether there may be more."""
    bulk = await store.get_bulk(tx, None, bulk_id)
    actor = await find_actor(tx, bulk.actor)
    if actor is None:
        await store.refuse_rest(tx, bulk_id, "not_allowed", put(bulk.lang, _GONE))
        return False
    order = make_order(nouns, bulk.noun, bulk.verb, bulk.said)
    return await actions.do_rows(tx, actor, order, bulk, hands=hands(actor)) > 0


async def finish(database: Database, bulk_id: int, *, nouns: Mapping[str, Noun], hands: HandsOf, tell: Any) -> Bulk:
    """For a command, which does the rows itself: servers may be at them too, or there is none. `tell(bulk)` between."""
    while True:
        async with database.transaction() as tx:
            has_more = await step(tx, bulk_id, nouns=nouns, hands=hands)
            bulk = await store.get_bulk(tx, None, bulk_id)
        tell(bulk)
        if not has_more:
            return bulk


async def _give_up(tx: Tx, job: Job, reason: str) -> None:
    """Somebody looks for its end: the rows that are left say that there is none."""
    bulk = await store.get_bulk(tx, None, int(job.args["bulk"]))
    await store.refuse_rest(tx, bulk.id, "bulk_stopped", put(bulk.lang, _BROKEN))
