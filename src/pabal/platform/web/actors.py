"""Who did something, as far as this visitor may know: nobody learns the names of those above them in the tree."""

from collections.abc import Iterable

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.platform import auth, tenants
from pabal.platform.tenants import Scope
from pabal.platform.web.visit import Visit

ENGINE = "engine"


async def name_actors(tx: Tx, visit: Visit, actors: Iterable[str | None]) -> dict[str, str]:
    """By the name an actor has in histories: user:12, token:3, engine; None is nobody."""
    own = await tenants.visible_to(tx, visit.actor)
    return {actor: await _name(tx, visit, own, actor) for actor in {one for one in actors if one}}


async def _name(tx: Tx, visit: Visit, own: Scope, actor: str) -> str:
    kind, _, number = actor.partition(":")
    if kind not in ("user", "token") or not number.isdigit():
        return visit.say("Pabal", "파발") if actor == ENGINE else actor
    try:
        if kind == "user":
            return (await auth.get_user(tx, own, int(number))).name
        return (await auth.get_token(tx, own, int(number))).name
    except NotFound:
        return actor if own.units is None else visit.say("somebody above", "상위 조직")
