"""Whatever one sends to the endpoints of rules, it is answered as described: never a server error."""

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.plans.actions import request_in_words
from pabal.base.settings import Settings
from pabal.platform.actor import ENGINE, Role
from tests.support.rules import make_rules
from tests.support.schema import NOBODY, paths_of, try_paths
from tests.support.web import Web

MANY = ("/api/v1/many/rules", "/api/v1/many/rule-executions")
PLANS = ("/api/v1/plans", "/api/v1/plan-models")
PATHS = ("/api/v1/rules", "/api/v1/rule-executions", "/api/v1/tick", *MANY, *PLANS)
TRIED = ((Role.ADMIN, 3, False), (Role.VIEWER, 1, False), (NOBODY, 1, False), (Role.ADMIN, 2, True))


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times", "is_wrong"), TRIED)
async def test_every_endpoint_answers_as_described(web: Web, who: str, times: int, is_wrong: bool):
    world = await make_rules(web.db, web.tree)
    rule = await world.rule()
    async with web.db.transaction() as tx:
        run = await actions.run_now(tx, ENGINE, rule.id)
        plan = await request_in_words(tx, ENGINE, "지난주 AI 뉴스 요약해서 보고서 만들어줘")
    paths = paths_of(web.site, PATHS)

    known = {"/rules/": str(rule.id), "/rule-executions/": str(run.id), "/plans/": plan.id}
    await try_paths(web, paths, known, who, times, is_wrong=is_wrong)

    assert len(paths) > 8
