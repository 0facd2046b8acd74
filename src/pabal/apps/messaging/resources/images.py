"""Images of messages, and the texts beside them: how every message shows what it is made of."""

from collections.abc import Sequence
from typing import Any

from pabal.apps.messaging.model.content import Content, Picture
from pabal.engine import ids
from pabal.platform.resources import View, field

CONTENT = tuple(Content.__dataclass_fields__)
SEND_ORDERS = {
    "text_first": ("text first", "글 먼저"),
    "images_first": ("images first", "그림 먼저"),
    "images_only": ("images only", "그림만"),
}


class ImageView(View):
    """An uploaded image; its bytes are at /api/v1/messages/images/{id}/content."""

    id: str = field(("Id", "번호"), example="file_01h2xcejqtf2n")
    name: str = field(("Name", "이름"), example="poster.jpg")
    media_type: str = field(("Type", "형식"), example="image/jpeg")
    size: int = field(("Size", "크기"), example=48211)
    width: int = field(("Width", "너비"), example=1080)
    height: int = field(("Height", "높이"), example=1350)
    frames: int = field(("Frames", "장면"), example=1)


def view_image(picture: Picture) -> ImageView:
    return ImageView.of(picture, id=ids.show("file", picture.file_id))


def content_of(content: Content) -> dict[str, Any]:
    """The fields of a message's content, by name."""
    given = {name: getattr(content, name) for name in CONTENT}
    return {**given, **{name: [view_image(one) for one in given[name]] for name in ("images_1", "images_2")}}


def text_field() -> Any:
    return field(("Text", "글"), example="오늘도 좋은 하루 되세요")


def images_field(number: int) -> Any:
    return field((f"Images {number}", f"그림 {number}"))


def name_images(images: Sequence[ImageView]) -> str:
    return ", ".join(one.name for one in images)
