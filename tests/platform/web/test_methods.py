"""Which methods an address takes, over all routers."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.web.openapi import operations_of, schema_of
from pabal.platform.web.turns import Rate
from tests.support.web import SECRET, Web

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


@pytest.fixture(
    params=[
        pytest.param("", id="the house"),
        pytest.param("pabal.apps.messaging,pabal.apps.adgroups", id="with its apps", marks=pytest.mark.slow),
    ]
)
def web_settings(request: pytest.FixtureRequest, db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps=request.param, secret_key=SECRET)


async def test_a_method_that_is_not_taken_is_405_and_allow_names_those_that_are(web: Web):
    web.site.state.rate = Rate(limit=1_000_000)
    admin = await web.as_()
    taken: dict[str, set[str]] = {}
    for path, method, _ in operations_of(schema_of(web.site)):
        taken.setdefault(path, set()).add(method)

    for path, methods in taken.items():
        for method in METHODS - methods:
            answer = await admin.request(method, path.replace("{", "").replace("}", ""))
            allowed = set(answer.headers.get("Allow", "").split(", "))
            assert (answer.status_code, allowed) == (405, methods), (method, path)
            assert answer.json()["code"] == "method_not_allowed"


async def test_what_follows_a_noun_literally_is_no_id_of_one(web: Web):
    """`DELETE /channels/{id}` takes no `/notifications/unread`; here a word stands where `/{key}` would."""
    admin = await web.as_()

    answer = await admin.delete("/api/v1/notifications/unread")

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")
