"""Machines: which states there are, who is in which, and what may happen next."""

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, DryRun, Number, Shown, answer, noun
from pabal.base.database import Tx
from pabal.engine import listing, transitions
from pabal.engine.listing import SubjectLine
from pabal.engine.listing.history import Wanted
from pabal.engine.machine import Machine
from pabal.engine.transitions import Transition
from pabal.platform import operating
from pabal.platform.controls import MachineControls
from pabal.platform.resources import View, field
from pabal.platform.web.etags import answer_one, expected_version, matching
from pabal.platform.web.filters import Listed, Moment, Text, Word, Words
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit
from pabal.resources.machines import (
    EventEffectView,
    MachineView,
    SubjectStateView,
    SubjectView,
    TransitionView,
    WholeMachineView,
    view_effect,
    view_machine,
    view_subject,
    view_whole_machine,
)

router = noun("machines")
Name = Annotated[str, Path(max_length=100, description="The machine's name.", examples=["alert"])]


class Send(Asked):
    event: Word = Field(examples=["acknowledge"])
    reason: Text | None = Field(default=None, examples=["on it"])


class Sent(View):
    """`transition` is null in a dry run."""

    effect: EventEffectView = field(("Effect", "결과"))
    transition: TransitionView | None = field(("Transition", "전이"))


class StateAt(Shown):
    """`state` is null before its beginning."""

    at: datetime
    state: str | None = Field(examples=["firing"])


class SubjectFilter(Listed):
    state: Annotated[Words, Field(description="Any of these, separated by commas.")] = ()


@router.get("/machines", response_model=Page[model_of(MachineView)])  # type: ignore[misc]  # made from the view
async def list_machines(visit: Visitor) -> Response:
    """Lists the state machines of all apps on this server."""
    readable = operating.list_readable(visit.actor, visit.site.controls)
    return answer_all([view_machine(one.machine, _app(visit, one.machine)) for one in readable])


@router.get("/machines/{name}", response_model=model_of(WholeMachineView))
async def get_machine(visit: Visitor, name: Name) -> Response:
    """Shows a machine with its diagram and how many subjects are in each state."""
    machine = _find(visit, name).machine
    async with visit.read() as tx:
        counts = await listing.count_states(tx, machine, visit.scope.listed)
    return answer_one(visit, view_whole_machine(machine, _app(visit, machine), counts))


@router.get("/machines/{name}/subjects", response_model=Page[model_of(SubjectView)])  # type: ignore[misc]  # made from the view
async def list_subjects(visit: Visitor, name: Name, wanted: Annotated[SubjectFilter, Query()]) -> Response:
    """Lists a machine's subjects, the newest first."""
    machine = _find(visit, name).machine

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[SubjectLine]:
        units = visit.scope.listed
        return await listing.list_subjects(tx, machine, units, states=wanted.state, limit=limit, cursor=cursor)

    return await answer_list(visit, wanted, Source(f"subjects:{machine.name}", SubjectView, load, view_subject))


@router.get("/machines/{name}/subjects/{id}", response_model=model_of(SubjectStateView))
async def get_subject(visit: Visitor, name: Name, id: Number) -> Response:
    """Shows in which state a subject is."""
    machine = _find(visit, name).machine
    async with visit.read() as tx:
        found = await operating.get_subject(tx, visit.scope, machine, id)
    return answer_one(visit, SubjectStateView.of(found, id=str(found.id)), version=found.version)


@router.get("/machines/{name}/subjects/{id}/history", response_model=Page[model_of(TransitionView)])  # type: ignore[misc]  # made from the view
async def list_history(visit: Visitor, name: Name, id: Number, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists every transition of a subject, the newest first."""
    machine = _find(visit, name).machine
    async with visit.read() as tx:
        await operating.get_subject(tx, visit.scope, machine, id)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Transition]:
        whole = Wanted(visit.scope.listed, machine.name, id)
        return await listing.list_transitions(tx, whole, limit=limit, cursor=cursor)

    source = Source(f"history:{machine.name}", TransitionView, load, TransitionView.of)
    return await answer_list(visit, wanted, source)


@router.get("/machines/{name}/subjects/{id}/state", response_model=StateAt)
async def get_state_at(
    visit: Visitor, name: Name, id: Number, at: Annotated[Moment, Query(description="At which moment.")]
) -> Response:
    """Says in which state a subject was at a moment."""
    machine = _find(visit, name).machine
    async with visit.read() as tx:
        await operating.get_subject(tx, visit.scope, machine, id)
        state = await transitions.state_at(tx, machine, id, at)
    return answer(StateAt(at=at, state=state))


@router.get("/machines/{name}/subjects/{id}/allowed-events", response_model=Page[model_of(EventEffectView)])  # type: ignore[misc]  # made from the view
async def list_allowed_events(visit: Visitor, name: Name, id: Number) -> Response:
    """Says for every event where it would lead now if you sent it, or why not."""
    controls = _find(visit, name)
    async with visit.read() as tx:
        found = await operating.explain_subject(tx, visit.actor, visit.scope, controls, id)
    return answer_all([view_effect(one) for one in found])


@router.post("/machines/{name}/subjects/{id}/events", response_model=model_of(Sent))
async def send_event(  # long: where it goes, what it says, and how often
    visit: Visitor, once: OnceOnly, name: Name, id: Number, asked: Send, dry_run: DryRun = False
) -> Response:
    """Sends an event to a subject, as its app would: with the app's right, checks and effects."""
    controls = _find(visit, name)

    async def act(tx: Tx) -> Response:
        with matching():
            sent = await operating.send_event(
                tx,
                visit.actor,
                controls,
                id,
                asked.event,
                reason=asked.reason,
                expect_version=expected_version(visit),
                dry_run=dry_run,
            )
        made = None if sent.made is None else TransitionView.of(sent.made)
        return answer(Sent(effect=view_effect(sent.explained), transition=made))

    return await once.run(act)


def _find(visit: Visit, name: str) -> MachineControls:
    return operating.find_machine(visit.actor, visit.site.controls, name)


def _app(visit: Visit, machine: Machine) -> str:
    return next(one.name for one in visit.site.slices if machine in one.machines)
