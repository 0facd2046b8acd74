"""How recall stands, for people: by words alone or also by meaning, and what is in the way."""

from dataclasses import dataclass

from pabal.apps.rules.recall import meanings
from pabal.apps.rules.recall import settings as own
from pabal.apps.rules.recall.labels import PROBLEMS
from pabal.base.database import Tx
from pabal.platform import settings
from pabal.platform.language.pairs import Pair

ROUTE = "rules.recall"


@dataclass(frozen=True, slots=True)
class RecallStanding:
    """`kept` of `cases` have a vector of `model`. `problem`: why there are none."""

    model: str
    kept: int
    cases: int
    problem: Pair | None


async def tell_recall(tx: Tx) -> RecallStanding | None:
    """None: by words alone, as the settings say."""
    if await settings.value(tx, own.EMBEDDING) == "none":
        return None
    now = await meanings.look(tx)
    kept, cases = await meanings.count(tx)
    return RecallStanding(now.model.removeprefix("api:"), kept, cases, PROBLEMS[now.lack] if now.lack else None)


async def list_lacks(tx: Tx) -> dict[str, Pair]:
    """For `pabal doctor`."""
    standing = await tell_recall(tx)
    return {ROUTE: standing.problem} if standing is not None and standing.problem is not None else {}
