"""Whatever one sends to the endpoints of ad groups, it is answered as described, and never with a server error."""

import pytest

from tests.apps.adgroups.api.house import V1, House
from tests.support.schema import WHO, paths_of, try_paths

PATHS = (V1,)
# each about what is there; this is to notice an endpoint that was added without care
TIMES = 1


@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
async def test_every_endpoint_answers_as_described(house: House, who: str):
    group = (await house.make("COMPLETE_SETUP", "APPROVE")).rpartition("/")[2]
    known = {"/campaigns/": house.campaign, "/legacy/": 1, "/adgroups/": group}
    paths = paths_of(house.web.site, PATHS)

    await try_paths(house.web, paths, known, who, TIMES)

    assert len(paths) > 30
