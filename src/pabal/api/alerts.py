"""Alerts: what is wrong, who takes care of it, and the rules that notice."""

from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import Response

from pabal.api.parts import house_of, may_read, no_content, noun
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import body_of, model_of, read_ask
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.rest import rest, viewer_of
from pabal.resources.alerts import ALERT, AlertRuleView, AlertSilence, view_rule

router = noun("alerts")
RuleName = Annotated[str, Path(max_length=200, description="The rule's name.", examples=["engine.stuck_work"])]
Silence = body_of(AlertSilence)
rest(router, ALERT)


@router.get("/alert-rules", response_model=Page[model_of(AlertRuleView)])  # type: ignore[misc]  # made from the view
async def list_alert_rules(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the rules that notice what is wrong, and how each stands now."""
    may_read(visit, alerts.AREA)
    async with visit.read() as tx:
        found = await alerts.list_rules(tx, visit.scope, house_of(visit).rules)
    return answer_all([view_rule(one, viewer_of(visit)) for one in found])


@router.post("/alert-rules/{name}/silence", status_code=204)
async def silence_rule(visit: Visitor, once: OnceOnly, name: RuleName, asked: Silence) -> Response:  # type: ignore[valid-type]  # made from the ask
    """Silences a rule for planned work, for the whole house."""

    async def act(tx: Tx) -> Response:
        rule = alerts.find_rule(house_of(visit).rules, name)
        await alerts.silence_rule(tx, visit.actor, rule, **read_ask(AlertSilence, asked).arguments())
        return no_content()

    return await once.run(act)


@router.post("/alert-rules/{name}/unsilence", status_code=204)
async def unsilence_rule(visit: Visitor, once: OnceOnly, name: RuleName) -> Response:
    """Ends the silence of a rule."""

    async def act(tx: Tx) -> Response:
        await alerts.unsilence_rule(tx, visit.actor, alerts.find_rule(house_of(visit).rules, name))
        return no_content()

    return await once.run(act)
