"""One rule for `org`: lists and figures of what belongs to units take it, and everything else refuses it."""

from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.web.openapi import operations_of, schema_of
from pabal.platform.web.turns import Rate
from tests.apps.adgroups.api.test_schema import PATHS as ADGROUPS
from tests.apps.messaging.api.test_schema import PATHS as MESSAGING
from tests.support.web import SECRET, Web

# they belong to the house, or to whoever asks
OF_NO_UNIT = {
    *("list_machines", "list_settings", "list_backups", "list_broker_events", "list_sessions"),
    *("list_message_archives", "list_lanes", "list_bulks"),
}
# no list: the figures of the house, the stream, one action on many, and uploads, which have no body to say it in
ALSO = {"get_health", "follow_facts", "list_upcoming", "act_on_many", "upload_file", "upload_image"}


@pytest.fixture(
    params=[
        pytest.param("", id="the house"),
        pytest.param("pabal.apps.messaging,pabal.apps.adgroups", id="with its apps", marks=pytest.mark.slow),
    ]
)
def web_settings(request: pytest.FixtureRequest, db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps=request.param, secret_key=SECRET)


async def test_every_list_of_what_belongs_to_units_takes_it(web: Web):
    found = {operation["operationId"]: operation for _, _, operation in operations_of(schema_of(web.site))}

    lists = {name for name, one in found.items() if "limit" in _names(one) and "cursor" in _names(one)}
    taking = {name for name, one in found.items() if "org" in _names(one)}
    assert lists - OF_NO_UNIT <= taking
    assert not taking & OF_NO_UNIT
    assert taking - lists >= ALSO & set(found)


async def test_what_it_is_not_for_refuses_it(web: Web):
    web.site.state.rate = Rate(limit=1_000_000)
    admin = await web.as_()

    # with the apps: theirs, the house's are asked without them
    mine = (*MESSAGING, *ADGROUPS) if web.app.services.settings.apps else ("/api/",)
    others = [one for one in operations_of(schema_of(web.site)) if "org" not in _names(one[2])]
    asked = [one for one in others if one[0].startswith(mine)]
    for path, method, _ in asked:
        answer = await admin.request(method, _named(path), params={"org": str(web.tree.seoul.id)})
        assert (answer.status_code, answer.json()["code"]) == (400, "org_not_taken"), (method, path)
    assert len(asked) > 50


async def test_servers_belong_to_the_house_and_to_none_of_its_units(web: Web):
    admin = await web.as_()

    whole = (await admin.get("/api/v1/servers")).json()["items"]
    part = (await admin.get("/api/v1/servers", params={"org": web.tree.seoul.id})).json()["items"]

    assert (len(whole), part) == (1, [])


def _names(operation: dict[str, Any]) -> set[str]:
    return {one["name"] for one in operation["parameters"]}


def _named(path: str) -> str:
    return path.replace("{", "").replace("}", "")


@pytest.fixture
def web_has_loops() -> bool:
    """A server is there to be listed."""
    return True
