"""The audit: who changed what, before and after, and from where."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.engine import ids
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import Filter, Noun, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.platform.audit import Entry

_ROWS = "pabal.resources.rows"


class AuditEntryView(View):
    """One change. `before` and `after` hold what differs."""

    id: str = field(("ID", "ID"), example="aud_01h2xcejqtf2n")
    at: datetime = field(("At", "시각"))
    actor: str = field(("Actor", "행위자"), example="user:12")
    actor_label: str = field(("Name", "이름"), example="김운영")
    origin: str = field(("From", "어디서"), example="127.0.0.1")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    action: str = field(("Action", "한 일"), example="users.edit")
    about: str = field(("About", "대상"), example="user:14")
    before: dict[str, Any] | None = field(("Before", "이전"), example={"role": "viewer"})
    after: dict[str, Any] | None = field(("After", "이후"), example={"role": "operator"})

    @column(("Who", "누가"))
    def who(self, _lang: Lang) -> str:
        return self.actor_label or self.actor


class AuditFilter(Filter):
    actor: str | None = ask("Only by them: user:12, token:5, cli:kim.", example="user:12", default=None)
    action: str | None = ask("Only this: users.edit. May end in a star.", example="users.*", default=None)
    about: str | None = ask("Only about this: user:12.", example="user:12", default=None)
    since: datetime | None = ask("Not before this moment.", alias="from", default=None)
    until: datetime | None = ask("Before this moment.", alias="to", default=None)


def view_entry(entry: "Entry", viewer: Viewer) -> AuditEntryView:
    return AuditEntryView.of(entry, id=ids.show("aud", entry.id))


ENTRY = Noun("entry", "audit", "audit", AuditEntryView, view=f"{__name__}:view_entry")
ENTRY.lists(
    "list_audit",
    "Lists every change, the newest first.",
    f"{_ROWS}:list_entries",
    columns=("at", "who", "action", "about", "before", "after", "origin"),
    empty=("No entries.", "기록이 없습니다."),
    wanted=AuditFilter,
    has_period=True,
)
