"""SliceStep: a step as an app declares it, and as the engine gets it: the owner found, the right asked."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from pabal.base.database import Tx
from pabal.base.errors import Forbidden, NotFound
from pabal.engine.workflows.schema import DESTINATION, SECRET
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed, StepKind, StepKinds
from pabal.platform import auth, tenants
from pabal.platform.actor import Actor, Right, Role
from pabal.platform.auth.store import find_user
from pabal.platform.language.pairs import Pair
from pabal.platform.services import Services

# Marks for the fields of a step's input: `room: Annotated[str, Destination]`.
Destination = Field(json_schema_extra={DESTINATION: True})
Secret = Field(json_schema_extra={SECRET: True})

Run = Callable[[Tx, Actor, Any, StepCall], Awaitable[BaseModel | AwaitSignal | StepFailed]]


class OwnerGone(Forbidden, code="workflow_owner_gone"):
    """The owner of this run may not act here any more: they left, or their token ended. Start it in another name."""


@dataclass(frozen=True)
class SliceStep:
    """What a workflow may do in an app. `run` is the app's own action, in the commit that records the step.

    One that needs something of the process is made by `run_with`.
    It takes `right` in `area`, asked of the run's owner when the step runs. `on_signal` reads the answer of what `run`
    waits for; `release` takes back what it asked for when the run does not wait any more. `StepCall.key` is the same
    in every attempt.
    """

    name: str
    version: int
    title: Pair
    input: type[BaseModel]
    output: type[BaseModel]
    area: str
    right: Right
    run: Run | None = None
    run_with: Callable[[Services], Run] | None = None
    effects: tuple[Effect, ...] = ()
    on_signal: Callable[[StepCall, Mapping[str, Any]], BaseModel | StepFailed] | None = None
    release: Callable[[Tx, Actor, StepCall], Awaitable[None]] | None = None

    @property
    def full_name(self) -> str:
        return f"{self.name}@{self.version}"


def make_step_kinds(steps: Iterable[SliceStep], services: Services | None = None) -> StepKinds:
    """Without services they can be looked at, and those that need some cannot run."""
    return StepKinds(bind(step, services) for step in steps)


def bind(step: SliceStep, services: Services | None = None) -> StepKind:
    """As the engine knows it: no people in it, and plain data in and out."""
    run = step.run if step.run_with is None or services is None else step.run_with(services)

    async def act(tx: Tx, call: StepCall) -> Mapping[str, Any] | AwaitSignal | StepFailed:
        try:
            given = step.input.model_validate(dict(call.input))
        except ValidationError as error:
            return StepFailed(_first(error), "bad_step_input", is_final=True)
        actor = await find_owner(tx, call)
        actor.require(step.right, step.area)
        if run is None:
            return StepFailed(f"{step.full_name} cannot run here", "unknown_kind", is_final=True)
        return _plain(await run(tx, actor, given, call))

    return StepKind(
        name=step.name,
        version=step.version,
        input={**step.input.model_json_schema(), "additionalProperties": False},
        output=step.output.model_json_schema(mode="serialization"),
        effects=frozenset(step.effects),
        act=act,
        on_signal=_on_signal(step),
        release=_release(step),
        title=step.title,
    )


async def find_owner(tx: Tx, call: StepCall) -> Actor:
    """Who they are now, not who they were when the run began. Raises OwnerGone."""
    return replace(await find_actor_in(tx, call.owner, call.unit_id), origin=f"workflow:{call.run_id}")


async def find_actor_in(tx: Tx, name: str, unit_id: int | None) -> Actor:
    """Of somebody who acts in this unit without being there. Raises OwnerGone."""
    actor = await find_actor(tx, name)
    if actor is None or not (await tenants.visible_to(tx, actor)).holds(unit_id):
        raise OwnerGone(name)
    return actor


async def find_actor(tx: Tx, name: str) -> Actor | None:
    """Whom a history names, with what they may do now. None: they left, or their token ended."""
    kind, _, number = name.partition(":")
    if kind == "user":
        user = await find_user(tx, int(number))
        return user.actor() if user is not None and user.is_active else None
    if kind == "token":
        return await _find_token(tx, int(number))
    return Actor(name, None, Role.ADMIN, label=name)


async def _find_token(tx: Tx, token_id: int) -> Actor | None:
    try:
        token = await auth.get_token(tx, tenants.Scope(None, None), token_id)
    except NotFound:
        return None
    if not token.is_alive(tx.now):
        return None
    return Actor(f"token:{token.id}", token.unit_id, token.role, tuple(token.scopes), label=token.name)


def _on_signal(step: SliceStep) -> Callable[[StepCall, Mapping[str, Any]], Mapping[str, Any] | StepFailed] | None:
    read = step.on_signal
    if read is None:
        return None

    def answer(call: StepCall, data: Mapping[str, Any]) -> Mapping[str, Any] | StepFailed:
        said = read(call, data)
        return said if isinstance(said, StepFailed) else said.model_dump(mode="json")

    return answer


def _release(step: SliceStep) -> Callable[[Tx, StepCall], Awaitable[None]] | None:
    take_back = step.release
    if take_back is None:
        return None

    async def release(tx: Tx, call: StepCall) -> None:
        await take_back(tx, Actor("engine", None, Role.ADMIN, label="engine"), call)

    return release


def _plain(said: BaseModel | AwaitSignal | StepFailed) -> Mapping[str, Any] | AwaitSignal | StepFailed:
    return said.model_dump(mode="json") if isinstance(said, BaseModel) else said


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
