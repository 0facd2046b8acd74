"""What a linked person writes to our bot in Telegram: a request for a plan."""

from pabal.apps.rules.plans import actions
from pabal.apps.rules.plans.model import AREA
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.language.pairs import Pair

COMMAND = "/plan"


async def hear(tx: Tx, actor: Actor, text: str) -> Pair | None:
    """Plain words, or behind /plan. Other commands are not for us; nor is anybody who may not ask."""
    word, _, rest = text.partition(" ")
    is_ours = word.partition("@")[0] == COMMAND
    if (text.startswith("/") and not is_ours) or not actor.may(Right.WRITE, AREA):
        return None
    plan = await actions.request_in_words(tx, actor, rest if is_ours else text)
    return (
        f"Plan {plan.id} is being drafted. Nothing runs before somebody approves it.",
        f"계획 {plan.id}번을 만들고 있습니다. 승인하기 전에는 아무것도 실행하지 않습니다.",
    )
