"""The images of a schedule or template: found, described as they are stored, and kept while something shows them."""

from collections.abc import Sequence
from dataclasses import replace

from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, Content, Picture
from pabal.apps.messaging.model.findings import Finding, find
from pabal.apps.messaging.store.pictures import EVERYTHING, get_picture_file
from pabal.base.database import Tx
from pabal.platform import storage
from pabal.platform.storage import FileNotFound
from pabal.platform.tenants import Scope


async def describe(tx: Tx, scope: Scope, content: Content) -> tuple[Content, list[Finding]]:
    """What a form says about its images is not believed: name, type and size are the stored file's."""
    found: dict[str, tuple[Picture, ...]] = {}
    problems: list[Finding] = []
    for group in (IMAGES_1, IMAGES_2):
        pictures: list[Picture] = []
        for given in content.images(group):
            try:
                pictures.append(await _picture(tx, scope, given.file_id))
            except FileNotFound:
                pictures.append(given)
                problems.append(find("image_not_found", group, name=given.name))
        found[group] = tuple(pictures)
    return replace(content, images_1=found[IMAGES_1], images_2=found[IMAGES_2]), problems


async def settle(tx: Tx, about: str, before: Sequence[int], after: Sequence[int]) -> None:
    """From now on `about` shows these files: the others are released. They were looked for with `describe`."""
    # in one order, so that two who share images cannot wait for each other
    for file_id in sorted({*before, *after}):
        if file_id not in after:
            await storage.release(tx, file_id, about)
        elif file_id not in before:
            await storage.keep(tx, EVERYTHING, file_id, about)


async def _picture(tx: Tx, scope: Scope, file_id: int) -> Picture:
    file = await get_picture_file(tx, scope, file_id)
    return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0, file.frames or 1)
