"""What somebody did to many rows at once, and taking it back."""

from typing import Annotated

from fastapi import Path
from fastapi.responses import Response

from pabal.api.parts import DryRun, noun
from pabal.base.database import Tx
from pabal.platform import bulks
from pabal.platform.resources.bulks import BulkView, view_bulk
from pabal.platform.web.endpoints import long_id
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.many import hands_of
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import answer_json
from pabal.platform.web.rest import rest
from pabal.resources.bulks import BULK

router = noun("bulks")
BulkId = Annotated[int, *long_id(bulks.PREFIX), Path(description="The bulk's id.")]


@router.post("/bulks/{id}/undo", response_model=model_of(BulkView))
async def undo_bulk(visit: Visitor, once: OnceOnly, id: BulkId, dry_run: DryRun = False) -> Response:
    """Does the opposite to every row it was done to, and answers the bulk that does so."""

    async def act(tx: Tx) -> Response:
        made = await bulks.undo(tx, visit.actor, id, nouns=visit.site.nouns, lang=visit.lang, hands=hands_of(visit))
        return answer_json(view_bulk(made, await bulks.list_rows(tx, made.id)))

    return await once.run(act, dry_run=dry_run)


rest(router, BULK)
