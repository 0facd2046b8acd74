"""Whatever one sends to the described endpoints of the relay, it is answered as described: never a server error."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.relay import make_relay
from tests.support.schema import NOBODY, paths_of, try_paths
from tests.support.web import SECRET, Web

PATHS = ("/api/v1/relay",)
# the first and third about what is there, the second about anything; then what its schema does not allow
TRIED = ((Role.ADMIN, 3, False), (Role.VIEWER, 1, False), (NOBODY, 1, False), (Role.ADMIN, 2, True))


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.relay", secret_key=SECRET)


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times", "is_wrong"), TRIED)
async def test_every_endpoint_answers_as_described(web: Web, who: str, times: int, is_wrong: bool):
    world = await make_relay(web.db, web.tree)
    await world.say()
    [message] = await world.messages()
    known = {
        "/accounts/": str(world.account.account.id),
        "/conversations/": message.conversation_id,
        "/messages/": str(message.uid),
    }
    paths = paths_of(web.site, PATHS)

    await try_paths(web, paths, known, who, times, is_wrong=is_wrong)

    assert len(paths) > 15
