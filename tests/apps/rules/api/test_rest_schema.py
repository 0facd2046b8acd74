"""Whatever one sends to the endpoints of rules, it is answered as described: never a server error."""

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.plans.actions import request_in_words
from pabal.base.settings import Settings
from pabal.platform.actor import ENGINE
from tests.support.rules import make_rules
from tests.support.schema import Try, paths_of, try_paths, try_wrongly
from tests.support.web import Web

MANY = ("/api/v1/many/rules", "/api/v1/many/rule-executions")
PLANS = ("/api/v1/plans", "/api/v1/plan-models")
PATHS = ("/api/v1/rules", "/api/v1/rule-executions", "/api/v1/tick", *MANY, *PLANS)


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.mark.slow
@pytest.mark.parametrize("try_all", [try_paths, try_wrongly])
async def test_every_endpoint_answers_as_described(web: Web, try_all: Try):
    world = await make_rules(web.db, web.tree)
    rule = await world.rule()
    async with web.db.transaction() as tx:
        run = await actions.run_now(tx, ENGINE, rule.id)
        plan = await request_in_words(tx, ENGINE, "지난주 AI 뉴스 요약해서 보고서 만들어줘")
    paths = paths_of(web.site, PATHS)

    known = {"/rules/": str(rule.id), "/rule-executions/": str(run.id), "/plans/": plan.id}
    await try_all(web, paths, known)

    assert len(paths) > 8
