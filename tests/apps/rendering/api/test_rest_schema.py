"""Whatever one sends to the endpoints of rendering, it is answered as described: never a server error."""

import pytest

from pabal.platform.actor import Role
from tests.support.schema import NOBODY, paths_of, try_paths
from tests.support.studio import COMPOSITION, Studio, slot_id
from tests.support.web import Web

PATHS = ("/api/v1/render",)
# the first and third about what is there, the second about anything; then what its schema does not allow
TRIED = ((Role.ADMIN, 3, False), (Role.VIEWER, 1, False), (NOBODY, 1, False), (Role.ADMIN, 2, True))


@pytest.mark.slow
@pytest.mark.parametrize(("who", "times", "is_wrong"), TRIED)
async def test_every_endpoint_answers_as_described(web: Web, studio: Studio, who: str, times: int, is_wrong: bool):
    job = await studio.submit(await studio.ask())
    known = {"/jobs/": job.id, "/workers/": str(slot_id(1)), "/compositions/": COMPOSITION}
    paths = paths_of(web.site, PATHS)

    await try_paths(web, paths, known, who, times, is_wrong=is_wrong)

    assert len(paths) > 25
