"""Whatever one sends to the described endpoints of the relay, it is answered as described: never a server error."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.support.relay import make_relay
from tests.support.schema import Try, paths_of, try_paths, try_wrongly
from tests.support.web import SECRET, Web

PATHS = ("/api/v1/relay",)


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.relay", secret_key=SECRET)


@pytest.mark.slow
@pytest.mark.parametrize("try_all", [try_paths, try_wrongly])
async def test_every_endpoint_answers_as_described(web: Web, try_all: Try):
    world = await make_relay(web.db, web.tree)
    await world.say()
    [message] = await world.messages()
    known = {
        "/accounts/": str(world.account.account.id),
        "/conversations/": message.conversation_id,
        "/messages/": str(message.uid),
    }
    paths = paths_of(web.site, PATHS)

    await try_all(web, paths, known)

    assert len(paths) > 15
