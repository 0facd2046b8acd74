"""An item, and the words of its states."""

from dataclasses import dataclass
from datetime import datetime

from pabal.platform.language.status import Status, Words

AREA = "lostfound"
STATUS: Words = {
    "item": {"waiting": Status("wait", ("waiting", "보관 중")), "fetched": Status("end", ("fetched", "찾아감"))}
}


@dataclass(frozen=True, slots=True)
class Item:
    id: int
    unit_id: int
    what: str
    found_at: datetime
    fetched_at: datetime | None

    @property
    def state(self) -> str:
        return "waiting" if self.fetched_at is None else "fetched"
