"""Whatever one sends to messaging's endpoints, it is answered as described, and never with a server error."""

import asyncio

from pabal.platform.web.limits import Rate
from pabal.platform.web.openapi import schema_of
from tests.api.test_schema import Asking, _try_all
from tests.apps.messaging.api.house import KB, V1, House, v1_body
from tests.apps.messaging.archived import put_away

# each about what is there; this is to notice an endpoint that was added without care
TIMES = 1


async def test_every_endpoint_answers_as_described(house: House):
    web = house.web
    web.site.state.rate = Rate(limit=1_000_000)
    admin = await web.as_("hq")
    made = (await admin.post(f"{V1}/schedules", json=await v1_body(house))).json()
    [month] = await put_away(web.app.services, made["id"])
    known = {
        "/schedules/": made["id"],
        "/rooms/": house.room_id,
        "/bots/": house.bot_id,
        "/devices/": house.device_id,
        "/images/": house.file,
        "/archives/": month,
    }
    described = schema_of(web.site)
    paths = {path: one for path, one in described["paths"].items() if path.startswith((KB, "/api/logs/", V1))}
    headers = {"Accept-Language": "en", "Authorization": admin.headers["Authorization"]}

    asking = Asking(web.url, headers, known, TIMES)
    tried = await asyncio.to_thread(_try_all, {**described, "paths": paths}, asking)

    assert tried > 60
