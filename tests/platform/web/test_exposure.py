"""Who may read the metrics and the description of the endpoints."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.web import SECRET, Web

DOCS = ("/openapi.json", "/docs", "/docs/problems")


@pytest.fixture
def web_settings(db: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    given = getattr(request, "param", {})
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="", secret_key=SECRET, **given)


async def test_in_development_both_are_open(web: Web):
    anybody = await web.anybody()

    assert [(await anybody.get(path)).status_code for path in ("/metrics", *DOCS)] == [200] * 4


@pytest.mark.parametrize(
    "web_settings",
    [{"metrics": "token", "openapi": "token"}, {"mode": "production", "public_url": "https://pabal.example.com"}],
    indirect=True,
)
async def test_with_a_token_only_those_who_have_one_read_them(web: Web):
    anybody, branch = await web.anybody(), await web.as_("gangnam")
    scraper = await web.as_("hq", Role.VIEWER, scopes=("metrics:read",))
    other = await web.as_("hq", scopes=("jobs:manage",))
    person = await web.as_("hq", by="session")

    refused = await anybody.get("/metrics")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert [(await one.get("/metrics")).status_code for one in (scraper, person)] == [200, 200]
    assert [(await one.get("/metrics")).status_code for one in (branch, other)] == [403, 403]
    assert (await scraper.get("/api/v1/jobs")).status_code == 403
    for path in DOCS:
        assert (await anybody.get(path)).status_code == 401
        assert (await branch.get(path)).status_code == 200
    assert (await anybody.get("/livez")).status_code == 200
    assert (await anybody.get("/readyz")).status_code in (200, 503)


@pytest.mark.parametrize("web_settings", [{"metrics": "off", "openapi": "off"}], indirect=True)
async def test_off_is_off_for_everybody(web: Web):
    admin = await web.as_("hq")

    assert [(await admin.get(path)).status_code for path in ("/metrics", *DOCS)] == [404] * 4
    assert (await admin.get("/api/v1/jobs")).status_code == 200
