"""The inbox: what waits for whom, what was decided, and deciding, which is the app's own action in the same commit."""

from collections.abc import Iterable, Sequence
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import facts, subjects
from pabal.engine.reading import Fact
from pabal.platform import audit, auth, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.approvals import store
from pabal.platform.approvals.asking import check_voice
from pabal.platform.approvals.machine import load_approvals
from pabal.platform.approvals.model import (
    AREA,
    LONGEST_REASON,
    OVER,
    AnotherPerson,
    Approvable,
    Approvables,
    Approval,
    ApprovalNotFound,
    ReasonNeeded,
    Seen,
    Told,
    Verdict,
)
from pabal.platform.approvals.store import Wanted
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Scope

# More than that is shown as 99+.
MOST_COUNTED = 100
VOICED = "approvals.voiced"


async def decide(
    tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables, verdict: Verdict, reason: str = ""
) -> Approval:
    """The first answer counts: whoever comes later is told who decided and when. Raises what the app's action raises,
    and changes nothing then."""
    actor.require(Right.WRITE, AREA)
    approval = await _get(tx, actor, await tenants.visible_to(tx, actor), approvables, approval_id)
    approvable = approvables[approval.kind]
    said = _checked_reason(reason, is_needed=approvable.asks_why and verdict is Verdict.REJECT)
    held = await _hold(tx, actor, approvable, approval)
    if verdict is Verdict.APPROVE and held.needed > 1 and not await _speak(tx, actor, approvable, held, said):
        return await _load(tx, approval_id)
    await (approvable.approve if verdict is Verdict.APPROVE else approvable.reject)(tx, actor, held, said)
    return await _load(tx, approval_id)


async def _hold(tx: Tx, actor: Actor, approvable: Approvable, approval: Approval) -> Approval:
    """The subject first: an app's own door locks it first, too, and closes the approval behind it."""
    await subjects.lock_and_load(tx, approvable.machine, [approval.subject])
    await store.hold_approval(tx, approval.id)
    held = await _load(tx, approval.id)
    if not held.is_open:
        raise OVER[held.state](held, await name_actor(tx, actor, held.decided_by))
    return held


async def _speak(tx: Tx, actor: Actor, approvable: Approvable, held: Approval, said: str | None) -> bool:
    """Where it takes two: whether this yes is the last one needed. One that is not is kept, with the app's right."""
    check_voice(actor, held.requested_by, held.needed)
    actor.require(approvable.right, approvable.area)
    if actor.name in held.voices:
        raise AnotherPerson(actor.name)
    await store.insert_voice(tx, held.id, actor.name, said)
    if len(held.voices) + 1 >= held.needed:
        return True
    after = {"subject": f"{held.machine}:{held.subject}", "needed": held.needed, "reason": said}
    await facts.record(tx, VOICED, held.about, {"actor": actor.name}, held.unit_id)
    await audit.record(tx, actor, "approvals.voice", held.about, unit_id=held.unit_id, after=after)
    return False


async def list_seen(
    tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, wanted: Wanted, *, limit: int
) -> list[Seen]:
    """With words, newest first, of the kinds whose area the actor may read."""
    actor.require(Right.READ, AREA)
    found = await store.list_approvals(tx, scope, wanted, limit=limit)
    return await see(tx, actor, approvables, found)


async def get_seen(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, approval_id: int) -> Seen:
    actor.require(Right.READ, AREA)
    approval = await _get(tx, actor, scope, approvables, approval_id)
    [seen] = await see(tx, actor, approvables, [approval])
    return seen


async def get_open(tx: Tx, actor: Actor, approvables: Approvables, approval_id: int) -> Approval:
    approval = await _get(tx, actor, await tenants.visible_to(tx, actor), approvables, approval_id)
    if not approval.is_open:
        raise OVER[approval.state](approval, await name_actor(tx, actor, approval.decided_by))
    return approval


async def list_similar(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, approval: Approval) -> list[Seen]:
    """The last decisions about others like it."""
    return await see(tx, actor, approvables, await store.list_similar(tx, scope, approval, limit=5))


async def load_seen(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, ids: Sequence[int]) -> list[Seen]:
    """These, in the order given; those out of sight are left out."""
    kinds = set(list_readable(actor, approvables))
    found = {one.id: one for one in await load_approvals(tx, list(ids))}
    mine = [found[one] for one in ids if one in found]
    return await see(tx, actor, approvables, [one for one in mine if scope.holds(one.unit_id) and one.kind in kinds])


async def count_waiting(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables) -> int:
    """What this actor could decide now, up to 100."""
    kinds = [name for name, one in approvables.items() if one.may_decide(actor)]
    return await store.count_open(tx, scope, kinds, actor.name, most=MOST_COUNTED) if kinds else 0


async def count_later(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables) -> int:
    """What this actor wants to see later."""
    return await store.count_later(tx, scope, list_readable(actor, approvables), actor.name)


def list_readable(actor: Actor, approvables: Approvables) -> tuple[str, ...]:
    return tuple(name for name, one in approvables.items() if actor.may(one.sees, one.area))


async def see(tx: Tx, actor: Actor, approvables: Approvables, found: Sequence[Approval]) -> list[Seen]:
    told = await tell(tx, approvables, found)
    similar = await store.count_similar(tx, [one.id for one in found if one.is_open])
    names = await name_actors(tx, actor, found)
    return [
        Seen(
            approval=one,
            approvable=approvables[one.kind],
            told=told[one.id],
            may_decide=_may_decide(actor, approvables[one.kind], one),
            who=names.get(one.decided_by or "", ("", "")),
            wants=names[one.requested_by],
            voices=tuple(names[voice] for voice in one.voices),
            similar=similar.get(one.id, (0, 0)),
        )
        for one in found
    ]


async def tell(tx: Tx, approvables: Approvables, found: Sequence[Approval]) -> dict[int, Told]:
    """In each app's words; one whose subject is gone is told by its name."""
    told: dict[int, Told] = {}
    for kind in dict.fromkeys(one.kind for one in found):
        told |= dict(await approvables[kind].tell(tx, [one for one in found if one.kind == kind]))
    return {one.id: told.get(one.id) or _gone(approvables[one.kind], one) for one in found}


async def name_actors(tx: Tx, actor: Actor, found: Iterable[Approval]) -> dict[str, Pair]:
    names = {name for one in found for name in (one.decided_by, one.requested_by, *one.voices) if name}
    own = await tenants.visible_to(tx, actor)
    return {name: await _name(tx, own, name) for name in names}


async def name_actor(tx: Tx, actor: Actor, name: str | None) -> Pair:
    return await _name(tx, await tenants.visible_to(tx, actor), name or ENGINE.name)


async def _name(tx: Tx, own: Scope, name: str) -> Pair:
    """Nobody learns the names of those above them in the tree."""
    kind, _, number = name.partition(":")
    if kind not in ("user", "token") or not number.isdigit():
        return ("Pabal", "파발") if name == ENGINE.name else (name, name)
    try:
        found: Any = await (auth.get_user if kind == "user" else auth.get_token)(tx, own, int(number))
    except NotFound:
        return (name, name) if own.units is None else ("somebody above", "상위 조직")
    return found.name, found.name


async def follow_deadlines(tx: Tx, expired: list[Fact], *, approvables: Approvables) -> None:
    """What each kind does when its time is over, besides the request's end."""
    numbers = [int(fact.subject.partition(":")[2]) for fact in expired]
    for approval in await load_approvals(tx, numbers):
        approvable = approvables.get(approval.kind)
        if approvable is not None and approvable.expired is not None:
            await approvable.expired(tx, ENGINE, approval, None)


async def _get(tx: Tx, actor: Actor, scope: Scope, approvables: Approvables, approval_id: int) -> Approval:
    found = await store.find_approval(tx, approval_id)
    if found is None or not scope.holds(found.unit_id) or found.kind not in list_readable(actor, approvables):
        raise ApprovalNotFound(str(approval_id))
    return found


async def _load(tx: Tx, approval_id: int) -> Approval:
    [found] = await load_approvals(tx, [approval_id])
    return found


def _may_decide(actor: Actor, approvable: Approvable, one: Approval) -> bool:
    if not one.is_open or not approvable.may_decide(actor):
        return False
    return one.needed == 1 or actor.name not in (one.requested_by, *one.voices)


def _gone(approvable: Approvable, one: Approval) -> Told:
    english, korean = approvable.label
    return Told((f"{english} #{one.subject}", f"{korean} #{one.subject}"), ())


def _checked_reason(reason: str, *, is_needed: bool) -> str | None:
    said = reason.strip().replace("\0", "")
    if len(said) > LONGEST_REASON or (is_needed and not said):
        raise ReasonNeeded(str(len(said)))
    return said or None
