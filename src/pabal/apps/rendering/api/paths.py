"""The path doctor over REST: how this server's own places look to it, to the worker and on the NAS."""

from fastapi.responses import Response

from pabal.apps.rendering.api.readings import noun
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.places import examine_places, list_places
from pabal.apps.rendering.resources.paths import PathSeenView, view_path
from pabal.platform import tenants
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.rest import viewer_of

router = noun()


@router.get("/paths", response_model=Page[model_of(PathSeenView)])  # type: ignore[misc]  # made from the view
async def examine_render_paths(visit: Visitor) -> Response:
    """Says how the folders of rendering and the templates look to this server, to the worker and on the NAS, and
    whether they can be read and written. Only administrators of the head office."""
    farm = farm_of(visit.services)
    async with visit.read() as tx:
        await tenants.require_house(tx, visit.actor, Right.MANAGE, AREA)
        places = await list_places(tx, farm)
    found = await examine_places(places, farm)
    return answer_all([view_path(one, viewer_of(visit)) for one in found])
