"""Users: people, their role and their unit. Passwords are chosen by themselves, through a one-time link."""

from fastapi.responses import Response

from pabal.api.parts import Number, answer, noun
from pabal.base.database import Tx
from pabal.platform import auth
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.rest import rest
from pabal.resources.people import USER, LinkView, view_link

router = noun("users")
rest(router, USER)


@router.post("/users/{id}/link", response_model=model_of(LinkView), status_code=201)
async def issue_link(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes a one-time sign-in link; an earlier one is void."""

    async def act(tx: Tx) -> Response:
        return answer(view_link(await auth.issue_link(tx, visit.actor, id)), 201)

    return await once.run(act)


@router.post("/users/{id}/reset-password", response_model=model_of(LinkView), status_code=201)
async def reset_password(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Voids a person's password, sessions and the tokens they made, and makes a link to choose a new one with."""

    async def act(tx: Tx) -> Response:
        return answer(view_link(await auth.reset_password(tx, visit.actor, id)), 201)

    return await once.run(act)
