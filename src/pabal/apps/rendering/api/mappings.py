"""Compositions and mappings as a file: everything one may see, as CSV or JSON."""

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.rendering.api.readings import noun
from pabal.apps.rendering.exporting import write_file
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.resources.compositions import FileFormat
from pabal.platform.actor import Right
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor

router = noun()
MEDIA = {"csv": "text/csv", "json": "application/json"}
_FILES: dict[int | str, dict[str, Any]] = {200: {"content": {kind: {} for kind in MEDIA.values()}}}


class ExportQuery(Plain):
    format: Annotated[FileFormat, Field(description="How it is written.", examples=["csv"])] = "csv"


@router.get("/compositions/export", response_class=Response, responses=_FILES)
async def export_field_mappings(visit: Visitor, wanted: Annotated[ExportQuery, Query()]) -> Response:
    """Sends your compositions and their mappings as a file that can be imported again."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        content = await write_file(tx, visit.scope, wanted.format)
    headers = {
        "Content-Disposition": f'attachment; filename="aep_field_mapping.{wanted.format}"',
        "Cache-Control": "no-store",
    }
    return Response(content, headers=headers, media_type=MEDIA[wanted.format])
