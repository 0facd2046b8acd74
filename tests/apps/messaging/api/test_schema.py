"""Whatever one sends to messaging's endpoints, it is answered as described, and never with a server error."""

import pytest

from pabal.platform.actor import Role
from tests.apps.messaging.api.house import KB, V1, House, v1_body
from tests.apps.messaging.archived import put_away
from tests.support.schema import NOBODY, paths_of, try_paths

PATHS = (KB, "/api/logs/", V1)
# the first and third about what is there, the second about anything; then what its schema does not allow
TRIED = ((Role.ADMIN, 3, False), (Role.VIEWER, 1, False), (NOBODY, 1, False), (Role.ADMIN, 2, True))


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times", "is_wrong"), TRIED)
async def test_every_endpoint_answers_as_described(house: House, who: str, times: int, is_wrong: bool):
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

    await try_paths(web, paths, known, who, times, is_wrong=is_wrong)

    assert len(paths) > 30
