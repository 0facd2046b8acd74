"""Whatever one sends to the endpoints of rendering, it is answered as described: never a server error."""

import pytest

from tests.support.schema import Try, paths_of, try_paths, try_wrongly
from tests.support.studio import COMPOSITION, Studio, slot_id
from tests.support.web import Web

PATHS = ("/api/v1/render",)


@pytest.mark.slow
@pytest.mark.parametrize("try_all", [try_paths, try_wrongly])
async def test_every_endpoint_answers_as_described(web: Web, studio: Studio, try_all: Try):
    job = await studio.submit(await studio.ask())
    known = {"/jobs/": job.id, "/workers/": str(slot_id(1)), "/compositions/": COMPOSITION}
    paths = paths_of(web.site, PATHS)

    await try_all(web, paths, known)

    assert len(paths) > 25
