"""Whatever one sends to the endpoints of ad groups, it is answered as described, and never with a server error."""

import asyncio

from pabal.platform.web.limits import Rate
from pabal.platform.web.openapi import schema_of
from tests.api.test_schema import Asking, _try_all
from tests.apps.adgroups.api.house import V1, House

# each about what is there; this is to notice an endpoint that was added without care
TIMES = 1


async def test_every_endpoint_answers_as_described(house: House):
    web = house.web
    web.site.state.rate = Rate(limit=1_000_000)
    admin = await web.as_("hq")
    group = (await house.make("COMPLETE_SETUP", "APPROVE")).rpartition("/")[2]
    known = {"/campaigns/": house.campaign, "/legacy/": 1, "/adgroups/": group}
    described = schema_of(web.site)
    paths = {path: one for path, one in described["paths"].items() if path.startswith(V1)}
    headers = {"Accept-Language": "en", "Authorization": admin.headers["Authorization"]}

    asking = Asking(web.url, headers, known, TIMES)
    tried = await asyncio.to_thread(_try_all, {**described, "paths": paths}, asking)

    assert tried > 45
