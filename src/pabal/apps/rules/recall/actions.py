"""The verbs of recall: teach a case, find the nearest, pin, ban, forget."""

from collections.abc import Mapping
from typing import Any

from pabal.apps.rules.recall import meanings, store
from pabal.apps.rules.recall import settings as own
from pabal.apps.rules.recall.errors import BadCase, CaseNotFound
from pabal.apps.rules.recall.model import (
    ABOUT,
    AREA,
    LEAST_SCORE,
    LONGEST_ANSWER,
    LONGEST_REQUEST,
    MOST_ALIKE,
    NEAREST,
    Case,
    CaseKind,
    Meaning,
    Recalled,
    Standing,
    Wanted,
    list_grams,
    recall,
    share_words,
    want,
    weigh_words,
)
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.base.database import Tx
from pabal.platform import audit, settings, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, UnitNotFound, visible_to


async def teach_case(
    tx: Tx,
    actor: Actor,
    *,
    request: str,
    answer: str,
    kind: CaseKind = CaseKind.SCRIPT,
    unit_id: int | None = None,
) -> Case:  # long: what one may say of a case
    """Kept without what looks like a secret. The same request with the same answer is one case."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    owner = unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    said, kept = check_case(scrub(request.strip()), scrub(answer.strip()))
    texts: dict[str, Any] = {"request": said, "answer": kept, "grams": list_grams(said)}
    made = await store.insert_case(tx, owner, **texts, created_by=actor.name, kind=kind)
    case = await store.get_case(tx, scope, made)
    await _record(tx, actor, "teach", case)
    return case


def check_case(request: str, answer: str) -> tuple[str, str]:
    if not 1 <= len(request) <= LONGEST_REQUEST or not 1 <= len(answer) <= LONGEST_ANSWER:
        raise BadCase(f"{len(request)}, {len(answer)}")
    if "\0" in request + answer or not list_grams(request):
        raise BadCase("no words")
    return request, answer


async def find_nearest(  # long: what one may look for
    tx: Tx,
    scope: Scope,
    request: str,
    limit: int = NEAREST,
    *,
    kind: CaseKind = CaseKind.SCRIPT,
    meaning: Meaning | None = None,
) -> list[Recalled]:
    """The best first. Among the cases of this kind in this scope only, whatever lies outside of it. With a meaning also
    those that share no word with the request."""
    grams = list_grams(request)
    wanted = want(grams, await store.count_grams(tx, grams))
    near = await store.list_nearest(tx, scope, wanted, limit, kind) if wanted.rarest else []
    by_words = {one.id: one.shared / wanted.weight for one in near}
    if meaning is not None:
        return await _find_both(tx, scope, request, limit, wanted=wanted, by_words=by_words, kind=kind, meaning=meaning)
    cases = {case.id: case for case in await store.load_cases(tx, list(by_words))}
    scored = [(cases[one.id], by_words[one.id] * one.trust) for one in near]
    return [
        Recalled(case, score, share_words(request, case.request))
        for case, score in scored
        if score >= LEAST_SCORE or case.standing == Standing.PINNED
    ]


async def pin_case(tx: Tx, actor: Actor, case_id: int) -> Case:
    return await _set_standing(tx, actor, case_id, Standing.PINNED, "pin")


async def ban_case(tx: Tx, actor: Actor, case_id: int) -> Case:
    return await _set_standing(tx, actor, case_id, Standing.BANNED, "ban")


async def reset_case(tx: Tx, actor: Actor, case_id: int) -> Case:
    """Neither pinned nor banned."""
    return await _set_standing(tx, actor, case_id, Standing.NORMAL, "reset")


async def forget_case(tx: Tx, actor: Actor, case_id: int) -> None:
    """For good: its text is gone from the database, and so is what a model of meanings made of it. The audit keeps that
    it was there, not what it said."""
    case = await _hold(tx, actor, case_id)
    await store.delete_case(tx, case_id)
    await _record(tx, actor, "forget", case)


async def _find_both(  # long: what both ways found
    tx: Tx,
    scope: Scope,
    request: str,
    limit: int,
    *,
    wanted: Wanted,
    by_words: Mapping[int, float],
    kind: CaseKind,
    meaning: Meaning,
) -> list[Recalled]:
    least = await settings.value(tx, own.LEAST_LIKENESS)
    alike = await meanings.list_near(tx, scope, meaning, kind=kind, most=MOST_ALIKE, also=list(by_words))
    close = {case_id: likeness for case_id, likeness in alike.items() if likeness >= least}
    recalled = [
        recall(
            case,
            request,
            words=by_words.get(case.id) or weigh_words(wanted, case.request),
            likeness=close.get(case.id, 0.0),
        )
        for case in await store.load_cases(tx, sorted({*by_words, *close}))
    ]
    near = [one for one in recalled if one.score >= LEAST_SCORE or one.case.standing == Standing.PINNED]
    return sorted(near, key=lambda one: (one.case.standing != Standing.PINNED, -one.score, -one.case.id))[:limit]


async def _set_standing(tx: Tx, actor: Actor, case_id: int, standing: Standing, verb: str) -> Case:
    before = await _hold(tx, actor, case_id)
    await store.set_standing(tx, case_id, standing)
    await _record(tx, actor, verb, before, before={"standing": before.standing}, after={"standing": standing.value})
    [after] = await store.load_cases(tx, [case_id])
    return after


async def _hold(tx: Tx, actor: Actor, case_id: int) -> Case:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await store.hold_case(tx, case_id)
    if found is None or not scope.holds(found.unit_id):
        raise CaseNotFound(str(case_id))
    return found


async def _record(  # long: before and after
    tx: Tx,
    actor: Actor,
    verb: str,
    case: Case,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about = f"{ABOUT}:{case.id}"
    await audit.record(tx, actor, f"rules.case_{verb}", about, unit_id=case.unit_id, before=before, after=after)
