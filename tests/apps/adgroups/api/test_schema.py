"""Whatever one sends to the endpoints of ad groups, it is answered as described, and never with a server error."""

import pytest

from tests.apps.adgroups.api.house import V1, House
from tests.support.schema import Try, paths_of, try_paths, try_wrongly

PATHS = (V1,)


@pytest.mark.slow
@pytest.mark.parametrize("try_all", [try_paths, try_wrongly])
async def test_every_endpoint_answers_as_described(house: House, try_all: Try):
    group = (await house.make("COMPLETE_SETUP", "APPROVE")).rpartition("/")[2]
    known = {"/campaigns/": house.campaign, "/legacy/": 1, "/adgroups/": group}
    paths = paths_of(house.web.site, PATHS)

    await try_all(house.web, paths, known)

    assert len(paths) > 30
