"""A template: a text and images to begin a schedule with. Shared downwards: a unit may use those of units above it."""

from dataclasses import dataclass
from datetime import datetime

from pabal.apps.messaging.model.content import Content, Picture

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
