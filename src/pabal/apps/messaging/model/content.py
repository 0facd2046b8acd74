"""What is sent, and in which pieces. The preview, the sending and the log all use this, so they cannot differ. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

Component = str
TEXT, IMAGES_1, IMAGES_2 = "text", "images_1", "images_2"
_MEGABYTE = 1024 * 1024


class SendOrder(StrEnum):
    TEXT_FIRST = "text_first"
    IMAGES_FIRST = "images_first"
    IMAGES_ONLY = "images_only"


class ImageMode(StrEnum):
    """How a bot is given a group of images: one packet each, or all in one."""

    SINGLE = "single"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Picture:
    """An uploaded image, by its file; the bytes are in the file store."""

    file_id: int
    name: str
    media_type: str
    size: int
    width: int
    height: int
    frames: int = 1

    @property
    def extension(self) -> str:
        return {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif"}[self.media_type]


@dataclass(frozen=True, slots=True)
class Content:
    """At most three components: a text and two groups of images. Waits are the bot's (ms, 0: its own setting)."""

    text: str | None = None
    images_1: tuple[Picture, ...] = ()
    images_2: tuple[Picture, ...] = ()
    send_order: SendOrder = SendOrder.TEXT_FIRST
    send_interval_seconds: int = 1
    media_wait_1: int = 0
    media_wait_2: int = 0

    @property
    def components(self) -> tuple[Component, ...]:
        """Those that will be sent, in their order."""
        text = (TEXT,) if self.text and self.send_order is not SendOrder.IMAGES_ONLY else ()
        images = tuple(name for name in (IMAGES_1, IMAGES_2) if self.images(name))
        return images + text if self.send_order is SendOrder.IMAGES_FIRST else text + images

    def images(self, component: Component) -> tuple[Picture, ...]:
        return {IMAGES_1: self.images_1, IMAGES_2: self.images_2}.get(component, ())

    def media_wait(self, component: Component) -> int:
        return {IMAGES_1: self.media_wait_1, IMAGES_2: self.media_wait_2}.get(component, 0)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        values = dict(stored)
        for name in (IMAGES_1, IMAGES_2):
            values[name] = tuple(Picture(**each) for each in values.get(name, ()))
        return cls(**{**values, "send_order": SendOrder(values["send_order"])})


@dataclass(frozen=True, slots=True)
class Part:
    """One packet. `wait_ms` is how long to wait before it, after the part before it was written."""

    no: int
    component: Component
    wait_ms: int = 0
    text: str | None = None
    pictures: tuple[Picture, ...] = ()
    first_image: int = 0
    media_wait: int = 0

    @property
    def phone_seconds(self) -> float:
        """How long the phone is busy with it by itself. A text takes it no time worth telling."""
        return media_seconds([picture.size for picture in self.pictures], self.media_wait) if self.pictures else 0.0

    @property
    def last_image(self) -> int:
        """The end is not included."""
        return self.first_image + len(self.pictures)


def media_seconds(sizes: Sequence[int], media_wait: int) -> float:
    """How long a phone hears nothing after pictures: the wait it was given (ms), or its own rule, and 1.2 s."""
    wait_ms = float(media_wait)
    if wait_ms <= 0:
        least, most = (3000, 15000) if len(sizes) > 1 else (4000, 6000)
        wait_ms = min(max(1500 + 2000 * sum(sizes) / _MEGABYTE + 300 * (len(sizes) - 1), least), most)
    return wait_ms / 1000 + 1.2


@dataclass(frozen=True, slots=True)
class Pace:
    """What settings and the bot say about sending."""

    image_mode: ImageMode = ImageMode.SINGLE
    image_gap_ms: int = field(default=500)


def plan_parts(content: Content, pace: Pace) -> list[Part]:
    """The packets in their order: between components the send interval, between images of a group the image gap."""
    planned: list[Part] = []
    for component in content.components:
        for index, one in enumerate(_pieces(content, component, pace.image_mode)):
            first_of_all = not planned
            wait = content.send_interval_seconds * 1000 if index == 0 else pace.image_gap_ms
            planned.append(
                Part(
                    no=len(planned),
                    component=component,
                    wait_ms=0 if first_of_all else wait,
                    text=content.text if component == TEXT else None,
                    pictures=one[1],
                    first_image=one[0],
                    media_wait=content.media_wait(component),
                )
            )
    return planned


def _pieces(content: Content, component: Component, mode: ImageMode) -> Iterator[tuple[int, tuple[Picture, ...]]]:
    pictures = content.images(component)
    if component == TEXT or mode is ImageMode.GROUP:
        yield 0, pictures
        return
    for index, picture in enumerate(pictures):
        yield index, (picture,)


ABOUT = "message_template"
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class NewTemplate:
    """`unit_id` None: the unit of whoever saves it."""

    name: str
    text: str | None = None
    images_1: tuple[Picture, ...] = ()
    images_2: tuple[Picture, ...] = ()
    unit_id: int | None = None

    @property
    def content(self) -> Content:
        return Content(self.text, self.images_1, self.images_2)


@dataclass(frozen=True, slots=True)
class Template:
    """`schedules` use it now; `sends` went out with it, by schedules deleted since too."""

    id: int
    unit_id: int
    unit_name: str
    name: str
    text: str | None
    images_1: tuple[Picture, ...]
    images_2: tuple[Picture, ...]
    created_by: str
    created_at: datetime
    updated_at: datetime
    schedules: int = 0
    sends: int = 0

    @property
    def about(self) -> str:
        return f"{ABOUT}:{self.id}"

    @property
    def content(self) -> Content:
        return Content(self.text, self.images_1, self.images_2)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return (*self.images_1, *self.images_2)

    def as_new(self) -> NewTemplate:
        return NewTemplate(self.name, self.text, self.images_1, self.images_2, self.unit_id)
