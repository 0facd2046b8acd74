"""Kinds of steps for the tests of forms and checks; nothing of them runs."""

from pabal.base.database import Tx
from pabal.engine.workflows.step_kinds import Effect, StepCall, StepKind, StepKinds


async def _nothing(tx: Tx, call: StepCall) -> dict[str, str]:
    return {}


def schema(*needed: str, **properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(needed)}


TEXT = {"type": "string"}
WHERE = {"type": "string", "x-destination": True}
READ = StepKind(
    "web.read",
    1,
    input=schema("url", url=WHERE),
    output=schema("price", price={"type": "number"}, tags={"type": "array", "items": TEXT}),
    effects=frozenset({Effect.NETWORK, Effect.READS_OUTSIDE}),
    act=_nothing,
)
SEND = StepKind(
    "chat.send",
    1,
    input=schema("room", "text", room=WHERE, text={"type": "string", "maxLength": 50}, loud={"type": "boolean"}),
    output=schema(id=TEXT),
    effects=frozenset({Effect.MESSAGES}),
    act=_nothing,
)
COPY = StepKind("data.copy", 1, output=schema(copied={}), act=_nothing)
COPY_2 = StepKind("data.copy", 2, output=schema(copied={}), act=_nothing)
KINDS = StepKinds([READ, SEND, COPY, COPY_2])
