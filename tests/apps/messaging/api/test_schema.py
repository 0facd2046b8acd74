"""Whatever one sends to messaging's endpoints, it is answered as described, and never with a server error."""

import pytest

from tests.apps.messaging.api.house import KB, V1, House, v1_body
from tests.apps.messaging.archived import put_away
from tests.support.schema import Try, paths_of, try_paths, try_wrongly

PATHS = (KB, "/api/logs/", V1)


@pytest.mark.slow
@pytest.mark.parametrize("try_all", [try_paths, try_wrongly])
async def test_every_endpoint_answers_as_described(house: House, try_all: Try):
    web = house.web
    made = (await (await web.as_("hq")).post(f"{V1}/schedules", json=await v1_body(house))).json()
    [month] = await put_away(web.app.services, made["id"])
    known = {
        "/schedules/": made["id"],
        "/rooms/": house.room_id,
        "/bots/": house.bot_id,
        "/devices/": house.device_id,
        "/images/": house.file,
        "/archives/": month,
    }
    paths = paths_of(web.site, PATHS)

    await try_all(web, paths, known)

    assert len(paths) > 30
