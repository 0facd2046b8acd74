"""How a message will look in KakaoTalk, made from the parts that are sent, so that the two cannot differ. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.messaging.model.content import IMAGES_1, TEXT, Content, Pace, Part, Picture, plan_parts
from pabal.platform.language.pairs import Pair

_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}…。]", re.IGNORECASE)
_COMPONENTS: dict[str, Pair] = {
    "text": ("text", "글"),
    "images_1": ("images 1", "그림 1"),
    "images_2": ("images 2", "그림 2"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text; with `link` it is one. Line breaks are within it as they are."""

    text: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Tile:
    """One image within a bubble. `alt` is its file name."""

    picture: Picture
    alt: str
    is_gif: bool


@dataclass(frozen=True, slots=True)
class Bubble:
    """One bubble: a text, or the images of one packet (several are a grid of so many `columns`).

    `wait` stands on the rail before it (None before the first), `at` is when it would be sent. A folded text shows
    `runs` up to the fold and "전체보기"; `text` is all of it.
    """

    no: int
    component: str
    label: Pair
    bot_name: str
    at: datetime
    wait_ms: int
    wait: Pair | None
    text: str | None = None
    runs: tuple[Run, ...] = ()
    is_folded: bool = False
    tiles: tuple[Tile, ...] = ()
    media_wait: int = 0

    @property
    def is_text(self) -> bool:
        return self.component == TEXT

    @property
    def group(self) -> int | None:
        """1 or 2: which of the two groups of images."""
        return None if self.is_text else 1 if self.component == IMAGES_1 else 2

    @property
    def columns(self) -> int:
        """As the app lays them out: two or four in twos, more in threes."""
        count = len(self.tiles)
        return count if count < 2 else 2 if count in (2, 4) else 3


def bubbles(content: Content, pace: Pace, *, bot_name: str, at: datetime, fold_length: int) -> list[Bubble]:
    """In the order of sending. A phone takes its own time for an image; what is shown is when each is handed over."""
    made: list[Bubble] = []
    moment = at
    for part in plan_parts(content, pace):
        moment += timedelta(milliseconds=part.wait_ms)
        made.append(_bubble(part, bot_name, moment, fold_length, _wait(part)))
    return made


def _bubble(part: Part, bot_name: str, at: datetime, fold_length: int, wait: Pair | None) -> Bubble:
    text = part.text
    is_folded = text is not None and len(text) > fold_length
    shown = text[:fold_length].rstrip() if text is not None and is_folded else text
    return Bubble(
        no=part.no,
        component=part.component,
        label=_COMPONENTS[part.component],
        bot_name=bot_name,
        at=at,
        wait_ms=part.wait_ms,
        wait=wait,
        text=text,
        runs=tuple(_runs(shown or "")),
        is_folded=is_folded,
        tiles=tuple(Tile(each, each.name, each.media_type == "image/gif") for each in part.pictures),
        media_wait=part.media_wait,
    )


def _wait(part: Part) -> Pair | None:
    """What the rail says: between two images of a group it is the image gap, otherwise the send interval."""
    if part.no == 0:
        return None
    seconds = f"{part.wait_ms / 1000:g}"
    if part.first_image > 0:
        return f"{seconds} s between images", f"그림 사이 {seconds}초"
    return ("at once", "바로") if part.wait_ms == 0 else (f"+{seconds} s", f"+{seconds}초")


def _runs(text: str) -> Iterator[Run]:
    last = 0
    for found in _LINK.finditer(text):
        if found.start() > last:
            yield Run(text[last : found.start()])
        address = found.group()
        yield Run(address, address if "://" in address else f"https://{address}")
        last = found.end()
    if last < len(text):
        yield Run(text[last:])
