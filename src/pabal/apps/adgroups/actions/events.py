"""Events people and other systems send to ad groups; what each would do now, guard by guard."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.apps.adgroups import asking
from pabal.apps.adgroups.errors import AdGroupChanged
from pabal.apps.adgroups.machine import AD_GROUP, EXTENSION, Checked, Guard, Subject, load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, TIMED, AdGroup, Event, State
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine.machine import Refusal
from pabal.engine.subjects import VersionChanged
from pabal.engine.transitions import Moved, transition, transition_many
from pabal.platform import approvals, audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import visible_to

# who approves decides about money; who deletes cannot take it back
RIGHTS = {Event.APPROVE: Right.MANAGE, Event.REJECT: Right.MANAGE}
# what menus offer; what the clock sends may be sent by everybody who may write, and its guard looks at the clock
BY_HAND = tuple(event for event in Event if event not in TIMED)
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Explained:
    """`checked` is every condition of its guard; `is_extension`: the seed's matrix does not have it."""

    event: Event
    target: State | None
    refusal: Refusal | None
    guard: str | None
    checked: Sequence[Checked]
    is_extension: bool

    @property
    def is_allowed(self) -> bool:
        return self.refusal is None


async def send(
    tx: Tx,
    actor: Actor,
    ad_group_id: int,
    event: Event,
    *,
    reason: str | None = None,
    expect_version: int | None = None,
) -> AdGroup:
    """Raises MoveNotAllowed or GuardRefused, with the report of its guard, and changes nothing then."""
    before = await hold(tx, actor, ad_group_id, event)
    return await send_held(tx, actor, before, event, reason=reason, expect_version=expect_version)


def _sends(event: Event) -> Callable[..., Awaitable[AdGroup]]:
    async def act(tx: Tx, actor: Actor, ad_group_id: int, *, reason: str | None = None) -> AdGroup:
        return await send(tx, actor, ad_group_id, event, reason=reason)

    return act


# as verbs of one ad group, for what is done to many
complete_setup, approve, reject = _sends(Event.COMPLETE_SETUP), _sends(Event.APPROVE), _sends(Event.REJECT)
pause, resume, delete = _sends(Event.PAUSE), _sends(Event.RESUME), _sends(Event.DELETE)


async def hold(tx: Tx, actor: Actor, ad_group_id: int, event: Event) -> AdGroup:
    """Locked for `send_held`: whoever explains an event before it is sent explains it of this row."""
    actor.require(RIGHTS.get(event, Right.WRITE), AREA)
    return await store.hold_ad_group(tx, await visible_to(tx, actor), ad_group_id)


async def send_held(
    tx: Tx,
    actor: Actor,
    before: AdGroup,
    event: Event,
    *,
    reason: str | None = None,
    expect_version: int | None = None,
) -> AdGroup:
    """`send`, of a row that this transaction has locked."""
    actor.require(RIGHTS.get(event, Right.WRITE), AREA)
    if event is Event.APPROVE:
        await approvals.require_voices(tx, actor, asking.READY, before.id)
    try:
        await transition(tx, AD_GROUP, before.id, event, actor=actor.name, reason=reason, expect_version=expect_version)
    except VersionChanged as error:
        raise AdGroupChanged(f"{before.about} is at {before.version}, not {expect_version}") from error
    await store.note_event(tx, [before.id], event)
    [after] = await store.load_ad_groups(tx, [before.id])
    said = {"state": after.state, "reason": reason}
    await audit.record(
        tx, actor, f"adgroups.{event}", after.about, unit_id=after.unit_id, before={"state": before.state}, after=said
    )
    return after


async def preview_many(tx: Tx, actor: Actor, ids: Sequence[int], event: Event) -> dict[int, State | Refusal]:
    """What would become of each; nothing is changed."""
    actor.require(RIGHTS.get(event, Right.WRITE), AREA)
    mine = await _list_mine(tx, actor, ids)
    subjects = {subject.id: subject for subject in await load_subjects(tx, mine)}
    return {one: _decide(subjects[one], event, tx.now) if one in subjects else Refusal("not_found") for one in ids}


async def send_many(tx: Tx, actor: Actor, ids: Sequence[int], event: Event, *, reason: str | None = None) -> Moved:
    """All that can; the others are answered with why not."""
    actor.require(RIGHTS.get(event, Right.WRITE), AREA)
    mine = await _list_mine(tx, actor, ids)
    short = await approvals.list_short(tx, actor, asking.READY, mine) if event is Event.APPROVE else set()
    enough = [one for one in mine if one not in short]
    moved = await transition_many(tx, AD_GROUP, enough, event, actor=actor.name, reason=reason)
    done = [one.subject for one in moved.transitions]
    await store.note_event(tx, done, event)
    for group in await store.load_ad_groups(tx, done):
        after = {"state": group.state, "reason": reason}
        await audit.record(tx, actor, f"adgroups.{event}", group.about, unit_id=group.unit_id, after=after)
    hidden = {one: Refusal("not_found") for one in ids if one not in set(mine)}
    alone = {one: Refusal("another_person") for one in short}
    return Moved(moved.transitions, {**moved.refused, **alone, **hidden})


async def explain(tx: Tx, actor: Actor, ad_group_id: int) -> list[Explained]:
    """For every event of the machine: where it would lead now, or why not, with every condition of its guard."""
    await store.get_ad_group(tx, await visible_to(tx, actor), ad_group_id)
    [subject] = await load_subjects(tx, [ad_group_id])
    return [explain_one(subject, Event(event), tx.now, actor) for event in AD_GROUP.events]


def explain_one(subject: Subject, event: Event, now: datetime, actor: Actor | None = None) -> Explained:
    move = AD_GROUP.find_move(subject.state, event)
    guard = move.guard if move is not None and isinstance(move.guard, Guard) else None
    checked = list(guard.report(subject, now)) if guard is not None else []
    decided = _decide(subject, event, now)
    refusal = decided if isinstance(decided, Refusal) else None
    right = RIGHTS.get(event, Right.WRITE)
    if actor is not None and move is not None:
        may = actor.may(right, AREA)
        if not may or event not in TIMED:
            checked.insert(0, Checked("may_do_it", may, {"right": right.name.lower(), "actor": actor.name}))
        refusal = refusal if may else Refusal("may_do_it", {"right": right.name.lower(), "actor": actor.name})
    return Explained(
        event,
        None if refusal is not None or isinstance(decided, Refusal) else decided,
        refusal,
        None if guard is None else guard.__name__,
        checked,
        (subject.state, event) in EXTENSION,
    )


async def _list_mine(tx: Tx, actor: Actor, ids: Sequence[int]) -> list[int]:
    scope = await visible_to(tx, actor)
    return [group.id for group in await store.load_ad_groups(tx, ids) if scope.holds(group.unit_id)]


def _decide(subject: Subject, event: Event, now: datetime) -> State | Refusal:
    decided = AD_GROUP.decide(subject, event, now)
    return decided if isinstance(decided, Refusal) else State(decided)
