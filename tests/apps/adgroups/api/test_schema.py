"""Whatever one sends to the endpoints of ad groups, it is answered as described, and never with a server error."""

import pytest

from pabal.platform.actor import Role
from tests.apps.adgroups.api.house import V1, House
from tests.support.schema import NOBODY, paths_of, try_paths

PATHS = (V1,)
# the first and third about what is there, the second about anything; then what its schema does not allow
TRIED = ((Role.ADMIN, 3, False), (Role.VIEWER, 1, False), (NOBODY, 1, False), (Role.ADMIN, 2, True))


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times", "is_wrong"), TRIED)
async def test_every_endpoint_answers_as_described(house: House, who: str, times: int, is_wrong: bool):
    group = (await house.make("COMPLETE_SETUP", "APPROVE")).rpartition("/")[2]
    known = {"/campaigns/": house.campaign, "/legacy/": 1, "/adgroups/": group}
    paths = paths_of(house.web.site, PATHS)

    await try_paths(house.web, paths, known, who, times, is_wrong=is_wrong)

    assert len(paths) > 30
