"""Whatever one sends to any endpoint, it is answered as its description says, and never with a server error."""

from pathlib import Path
from typing import Any

import pytest

from pabal import main
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.web.openapi import schema_of
from pabal.web import make_web
from tests.apps.adgroups.api.test_schema import PATHS as ADGROUPS
from tests.apps.messaging.api.test_schema import PATHS as MESSAGING
from tests.apps.relay.api.test_rest_schema import PATHS as RELAY
from tests.apps.rendering.api.test_rest_schema import PATHS as RENDERING
from tests.apps.rules.api.test_rest_schema import PATHS as RULES
from tests.support.schema import paths_of, try_paths
from tests.support.things import Things, make_things
from tests.support.web import SECRET, Web


@pytest.mark.slow
async def test_every_endpoint_answers_as_described(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)

    await try_paths(web, schema_of(web.site)["paths"], _known_ids(things))


async def test_every_endpoint_of_a_whole_server_is_tried(db: Database, web: Web, tmp_path: Path):
    """Here, or beside its app: one that belongs to neither would be tried by nobody."""
    settings = Settings(database_url=db.url, data_dir=tmp_path / "whole", port=0, secret_key=SECRET)
    app = await main.build(settings, frozenset({"web"}))
    whole = make_web(app, app.site)
    await app.stop()

    of_apps = {path for app in (ADGROUPS, MESSAGING, RELAY, RENDERING, RULES) for path in paths_of(whole, app)}
    assert set(schema_of(whole)["paths"]) == of_apps | set(schema_of(web.site)["paths"])


def _known_ids(things: Things) -> dict[str, Any]:
    """Some requests are about what is there: others would mostly be answered with 404."""
    return {
        "/jobs/": things.job,
        "/schedules/": things.schedule,
        "/occurrences/": things.occurrence,
        "/why/": things.job,
        "/machines/{name}/subjects/": things.alert_number,
        "/facts/": things.fact,
        "/alerts/": things.alert,
        "/channels/": things.channel,
        "/users/": things.user,
        "/tokens/": things.token,
        "/units/": things.unit,
        "/files/": things.file,
        "/workflows/": things.workflow,
        "/workflow-runs/": things.workflow_run,
    }
