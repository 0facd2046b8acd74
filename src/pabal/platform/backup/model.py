"""A backup: which files there are, what they are called, and which of them are old. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.errors import Conflict, NotFound, Unavailable

AREA = "backup"


class BackupNotFound(NotFound, code="backup_not_found"):
    """There is no such backup, or it was deleted because it was old."""


class BackupNotWhole(Conflict, code="backup_not_whole"):
    """This backup still runs or did not succeed, so there is nothing to check. Choose one that succeeded."""


class ScratchForbidden(Unavailable, code="scratch_forbidden"):
    """The restore check needs a database of its own, and Pabal's database user may not create one. Allow it with
    ALTER ROLE … CREATEDB, or switch the weekly check off."""


@dataclass(frozen=True, slots=True)
class Backup:
    """`ending` None: it runs. `check_result`: good, bad (it would not bring everything back) or failed (the check
    itself could not be done)."""

    id: int
    job_id: int
    requested_by: str | None
    host: str
    folder: str
    file: str
    started_at: datetime
    ended_at: datetime | None
    ending: str | None
    reason: str | None
    size: int | None
    sha256: str | None
    counts: dict[str, int] | None
    checked_at: datetime | None
    check_result: str | None
    check_detail: str | None

    @property
    def is_whole(self) -> bool:
        return self.ending == "done"

    def shown(self) -> dict[str, Any]:
        """For facts and the audit."""
        return {"id": self.id, "host": self.host, "file": self.file, "size": self.size}


def name_file(now: datetime, taken: Sequence[str]) -> str:
    """By its moment in UTC; a second one in the same second is numbered."""
    stem = f"pabal-{now:%Y%m%d-%H%M%S}"
    names = (f"{stem}.dump" if number == 1 else f"{stem}-{number}.dump" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def choose_old(backups: Sequence[Backup], now: datetime, keep: timedelta) -> list[Backup]:
    """What may go once a newer one has succeeded. What is the newest good one now stays however old it is, and so does
    the newest that a restore check has proven."""
    good = [one for one in backups if one.is_whole and one.check_result != "bad"]
    proven = [one for one in good if one.check_result == "good"]
    spared = {max(group, key=lambda one: one.id).id for group in (good, proven) if group}
    return [one for one in backups if one.ended_at and one.ended_at < now - keep and one.id not in spared]
