"""Cancelling jobs and enqueuing them again, one or many: right, visibility, change and audit in one commit."""

from collections.abc import Sequence

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.engine import ids, listing, priorities, queue, withdrawals
from pabal.engine.kinds import Kinds
from pabal.engine.listing import IdAmbiguous
from pabal.engine.queue import Enqueued, JobNotFound, NewJob, Place, Priority
from pabal.engine.withdrawals import Cancelled
from pabal.platform import audit
from pabal.platform.actor import Actor, NotAllowed
from pabal.platform.controls import Owners, require_any_owner, require_owner
from pabal.platform.operating.model import Done, EndedBefore, HandlerNotHere, NotRetryable, TooMany
from pabal.platform.tenants import Scope, visible_to

AREA = "jobs"
AT_ONCE = 200
WhyNot = NotFound | Invalid | IdAmbiguous | NotAllowed
RETRYABLE = ("failed", "cancelled", "expired", "quarantined")


async def get_job(tx: Tx, scope: Scope, text: str) -> Place:
    """The one job that a whole or shortened id means in this scope."""
    place = await queue.get_place(tx, await listing.resolve_job(tx, text, scope.listed, scope.veiled))
    if not scope.holds(place.unit_id):
        raise JobNotFound(text)
    return place


async def cancel_job(tx: Tx, actor: Actor, text: str, *, kinds: Kinds, owners: Owners) -> Done:
    """Ends it if it waits, signals it if it runs; raises what `cancel_jobs` answers."""
    [done] = await cancel_jobs(tx, actor, [text], kinds=kinds, owners=owners)
    if done.error is not None:
        raise done.error
    return done


async def cancel_jobs(  # long: what it needs to know of the apps, and how far it goes
    tx: Tx,
    actor: Actor,
    texts: Sequence[str],
    *,
    kinds: Kinds,
    owners: Owners,
    force: bool = False,
    dry_run: bool = False,
) -> list[Done]:
    """cancelled, signalled (it runs, and stops soon), ended_before, not_found, not_allowed or handler_not_here, in the
    order given.

    A handler's give_up belongs to the commit that ends its job: what has no code here is left, unless by `force`.
    """
    found = await _find_all(tx, actor, texts, owners)
    wanted = [place for place in found.values() if isinstance(place, Place)]
    able = [place.id for place in wanted if force or _has_handler(place, kinds)]
    done = Cancelled([], [])
    if not dry_run:
        done = await withdrawals.cancel_jobs(tx, able, kinds=kinds, reason=f"cancelled by {actor.name}")
    answers = {text: _cancelled(text, one, able, None if dry_run else done) for text, one in found.items()}
    for place in wanted:
        if place.id in done.ended or place.id in done.signalled:
            after = {"result": "cancelled" if place.id in done.ended else "signalled"}
            await _note(tx, actor, "jobs.cancel", place, after)
    return [answers[text] for text in texts]


async def retry_job(tx: Tx, actor: Actor, text: str, *, owners: Owners, dry_run: bool = False) -> Done:
    [done] = await retry_jobs(tx, actor, [text], owners=owners, dry_run=dry_run)
    if done.error is not None:
        raise done.error
    return done


async def retry_jobs(
    tx: Tx, actor: Actor, texts: Sequence[str], *, owners: Owners, dry_run: bool = False
) -> list[Done]:
    """Each that went wrong is enqueued again as a new job that names it: enqueued, not_retryable, not_allowed or
    not_found."""
    found = await _find_all(tx, actor, texts, owners)
    wanted = [one for one in found.values() if isinstance(one, Place) and one.result in RETRYABLE]
    # The same job named twice, whole and shortened, is still one.
    chosen = list({place.id: place for place in wanted}.values())
    made: dict[int, Enqueued] = {}
    if not dry_run:
        new = await queue.enqueue_many(tx, [_again(tx, place) for place in chosen])
        made = {place.id: one for place, one in zip(chosen, new, strict=True)}
    for place in chosen:
        if place.id in made:
            await _note(tx, actor, "jobs.retry", place, {"job": str(made[place.id])})
    answers = {text: _retried(text, one, made) for text, one in found.items()}
    return [answers[text] for text in texts]


async def prioritise_job(tx: Tx, actor: Actor, text: str, priority: Priority, *, owners: Owners) -> Place:
    """Of one that waits; raises JobNotWaiting for others."""
    [found] = (await _find_all(tx, actor, [text], owners)).values()
    if not isinstance(found, Place):
        raise found
    await priorities.move(tx, found.id, priority)
    if priority != found.priority:
        before = {"priority": Priority(found.priority).name.lower()}
        after = {"priority": priority.name.lower()}
        about = ids.show("job", found.id)
        await audit.record(tx, actor, "jobs.prioritise", about, unit_id=found.unit_id, before=before, after=after)
    return await queue.get_place(tx, found.id)


async def _find_all(tx: Tx, actor: Actor, texts: Sequence[str], owners: Owners) -> dict[str, Place | WhyNot]:
    """What is not found, or whose app does not let this actor operate its work, stands there as why not."""
    require_any_owner(actor, owners, AREA)
    if len(texts) > AT_ONCE:
        raise TooMany(str(len(texts)))
    scope = await visible_to(tx, actor)
    found: dict[str, Place | WhyNot] = {}
    for text in dict.fromkeys(texts):
        try:
            place = await get_job(tx, scope, text)
            require_owner(actor, owners, place.kind, AREA)
            found[text] = place
        except (NotFound, Invalid, IdAmbiguous, NotAllowed) as error:
            found[text] = error
    return found


def _has_handler(place: Place, kinds: Kinds) -> bool:
    # What runs is only signalled: the server that runs it has the code.
    return place.place in ("ended", "lease") or kinds.find(place.kind) is not None


def _cancelled(text: str, found: Place | WhyNot, able: Sequence[int], done: Cancelled | None) -> Done:
    if not isinstance(found, Place):
        return Done(text, "not_found" if isinstance(found, NotFound) else found.code, found)
    shown = ids.show("job", found.id)
    if found.id not in able:
        return Done(shown, "handler_not_here", HandlerNotHere(found.kind))
    if found.place == "ended":
        return Done(shown, "ended_before", EndedBefore(shown))
    if done is None:
        return Done(shown, "would_cancel")
    if found.id in done.ended:
        return Done(shown, "cancelled")
    return Done(shown, "signalled") if found.id in done.signalled else Done(shown, "ended_before", EndedBefore(shown))


def _retried(text: str, found: Place | WhyNot, made: dict[int, Enqueued]) -> Done:
    if not isinstance(found, Place):
        return Done(text, "not_found" if isinstance(found, NotFound) else found.code, found)
    shown = ids.show("job", found.id)
    if found.result not in RETRYABLE:
        return Done(shown, "not_retryable", NotRetryable(f"{shown} is {found.result or found.place}"))
    new = made.get(found.id)
    return Done(shown, "enqueued", made=None if new is None else str(new))


def _again(tx: Tx, place: Place) -> NewJob:
    """The same request; an expiry that has passed already is left out, or it could never run."""
    is_alive = place.expires_at is not None and place.expires_at > tx.now
    return NewJob(
        place.kind,
        place.args,
        lane=place.lane,
        route=place.route,
        label=place.label,
        about=place.about,
        priority=Priority(place.priority),
        expires_at=place.expires_at if is_alive else None,
        deadline=place.deadline,
        max_failures=place.max_failures,
        max_recoveries=place.max_recoveries,
        records_end=place.records_end,
        unit_id=place.unit_id,
        cause=ids.show("job", place.id),
    )


async def _note(tx: Tx, actor: Actor, action: str, place: Place, after: dict[str, str]) -> None:
    before = {"kind": place.kind, "state": place.result or place.place}
    await audit.record(
        tx, actor, action, ids.show("job", place.id), unit_id=place.unit_id, before=before, after={**before, **after}
    )
