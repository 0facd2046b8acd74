"""What is posted to the form of a schedule: a draft as typed, the pictures that came along, one picture on its own."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging.errors import NoPicture
from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, Picture
from pabal.apps.messaging.pages.form_draft import GROUPS, SEVERAL, SINGLE, Draft
from pabal.apps.messaging.pages.form_view import Limits, Refused, load_limits
from pabal.apps.messaging.pages.page_texts import AREA
from pabal.apps.messaging.store.templates import get_picture_file
from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.storage import File, FileNotFound, Upload, UploadLimits, UploadTooLarge
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, read_number
from pabal.platform.web.posted import Posted, open_posted
from pabal.platform.web.uploads import FilePart, PartLimits
from pabal.platform.web.visit import Visit

MB = 1024 * 1024
FILES = {"files_1": IMAGES_1, "files_2": IMAGES_2}
# two groups of pictures, as large as the settings may ever allow, and the fields beside them
LIMITS = PartLimits(max_body=2 * 1024**3, max_parts=2500, max_field=512 * 1024)

PostedForm = Annotated[Posted, Depends(open_posted(LIMITS))]


@dataclass
class PostedDraft:
    """`do` is the button that was pressed; `rest` are fields that are no part of a draft."""

    draft: Draft
    do: str
    rest: dict[str, str]
    refused: tuple[Refused, ...] = ()


@dataclass
class PostedFields:
    """What has come so far. A picture that was there before is its id until all has come."""

    typed: dict[str, str] = field(default_factory=dict)
    several: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in SEVERAL})
    images: dict[str, list[int | Picture]] = field(default_factory=lambda: {name: [] for name in GROUPS})
    do: str = "save"
    rest: dict[str, str] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)

    def put(self, name: str, value: str) -> None:
        value = value.replace("\0", "")
        if name in SINGLE:
            self.typed[name] = value.replace("\r\n", "\n")
        elif name in SEVERAL:
            self.several[name].append(value)
        elif name in GROUPS:
            self.images[name] += [number] if (number := read_number(value)) else []
        elif name == "do":
            self.do = value
        else:
            self.rest[name] = value


async def receive(posted: Posted) -> PostedDraft:
    visit = posted.visit
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        limits = await load_limits(tx)
    fields = PostedFields()
    async for part in posted.parts:
        if not isinstance(part, FilePart):
            fields.put(part.name, part.value)
        elif part.name in FILES:
            await _take(visit, fields, part, limits)
    return await _finish(visit, fields)


async def accept(visit: Visit, part: FilePart, limits: Limits) -> Picture:
    """Raises what is wrong with it, as Invalid."""
    services = visit.services
    upload = Upload(part.chunks, part.filename, visit.scope.unit_id, area=AREA)
    allowed = UploadLimits(max_bytes=limits.most_mb * MB)
    return as_picture(await storage.accept_image(services.changes, services.files, visit.actor, upload, allowed))


def as_picture(file: File) -> Picture:
    return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0, file.frames or 1)


def tell(error: Invalid, limits: Limits, size: int | None = None) -> Pair:
    """What is wrong with a file and what to do, with its numbers."""
    if isinstance(error, UploadTooLarge):
        most = limits.most_mb
        if size is not None:
            said = f"{size / MB:.1f} MB"
            return (
                f"{said}; the limit is {most} MB per image. Make it smaller.",
                f"{said}입니다. 한 장은 {most} MB까지입니다. 줄여서 다시 넣으세요.",
            )
        return (
            f"Larger than {most} MB, the limit per image. Make it smaller.",
            f"{most} MB를 넘습니다. 한 장은 {most} MB까지입니다. 줄여서 다시 넣으세요.",
        )
    return explain(error, "en"), explain(error, "ko")


async def _take(visit: Visit, fields: PostedFields, part: FilePart, limits: Limits) -> None:
    group = FILES[part.name]
    most = limits.most_images
    if len(fields.images[group]) >= most:
        full = (f"This group is full: {most} images at most.", f"이 묶음이 찼습니다. {most}장까지 넣을 수 있습니다.")
        fields.refused.append(Refused(group, part.filename, full, "too_many_images_in_group"))
        return
    try:
        fields.images[group].append(await accept(visit, part, limits))
    except Invalid as error:
        fields.refused.append(Refused(group, part.filename, tell(error, limits), error.code))


async def _finish(visit: Visit, fields: PostedFields) -> PostedDraft:
    images: dict[str, Any] = {}
    async with visit.read() as tx:
        for group in GROUPS:
            images[group] = tuple([one async for one in _find(tx, visit, fields, group, fields.images[group])])
    # a choice that nobody made does not come at all
    typed: dict[str, Any] = {name: fields.typed.get(name, "") for name in SINGLE}
    several: dict[str, Any] = {name: tuple(given) for name, given in fields.several.items()}
    draft = Draft(**typed, **images, **several)
    return PostedDraft(draft, fields.do, fields.rest, tuple(fields.refused))


async def _find(tx: Tx, visit: Visit, fields: PostedFields, group: str, given: Iterable[int | Picture]) -> Any:
    scope = await visible_to(tx, visit.actor)
    for one in given:
        if isinstance(one, Picture):
            yield one
            continue
        try:
            yield as_picture(await get_picture_file(tx, scope, one))
        except FileNotFound as error:
            fields.refused.append(
                Refused(group, f"#{one}", (explain(error, "en"), explain(error, "ko")), "image_not_found")
            )


router = APIRouter(prefix="/messages", include_in_schema=False)


@router.post("/files")
async def upload(posted: PostedForm) -> Response:
    """Always a card, so that a script has only one thing to put into the page: the picture, or why there is none."""
    visit = posted.visit
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        limits = await load_limits(tx)
    group, taken = GROUPS[0], None
    async for part in posted.parts:
        if isinstance(part, FilePart):
            taken = await _accept_one(visit, part, group, limits)
        elif part.name == "group" and part.value in GROUPS:
            group = part.value
    if taken is None:
        raise NoPicture
    status = 422 if isinstance(taken, Refused) else 201
    return await visit.show("messaging/uploaded.html", status, group=group, taken=taken, is_bad=status == 422)


@router.get("/files/{file_id}/thumbnail")
async def thumbnail(visit: Visitor, file_id: RowId) -> Response:
    """Whoever sees a schedule or a template sees its pictures, whosever they are."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        file = await get_picture_file(tx, await visible_to(tx, visit.actor), file_id)
    tag = f'"t{file.sha256[:31]}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read_thumbnail(visit.services.files, file)
    headers["Content-Length"] = str(content.end - content.start)
    headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return StreamingResponse(content.chunks, 200, headers, media_type=storage.THUMBNAIL_MEDIA_TYPE)


async def _accept_one(visit: Visit, part: FilePart, group: str, limits: Limits) -> Picture | Refused:
    try:
        return await accept(visit, part, limits)
    except Invalid as error:
        announced = visit.request.headers.get("Content-Length", "")
        size = int(announced) if announced.isdigit() else None
        return Refused(group, part.filename, tell(error, limits, size), error.code)
