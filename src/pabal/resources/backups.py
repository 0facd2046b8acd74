"""Backups: taken, kept and proven."""

from datetime import datetime
from typing import TYPE_CHECKING

from pabal.engine import ids
from pabal.platform.resources import Noun, View, Viewer, field

if TYPE_CHECKING:
    from pabal.platform.backup import Backup

_ROWS = "pabal.resources.rows"


class BackupView(View):
    """`ending` is null while it runs, and `state` then says running; `check_result` is good, bad or failed."""

    id: int = field(("ID", "ID"), example=4)
    job: str = field(("Job", "작업"), example="job_01h2xcejqtf2n")
    requested_by: str | None = field(("Asked by", "요청한 사람"), example="user:12")
    host: str = field(("Host", "호스트"), example="server-1")
    folder: str = field(("Folder", "폴더"), example="backups")
    file: str = field(("File", "파일"), example="pabal-20260703-030000.dump")
    state: str = field(("State", "상태"), status="backup", example="done")
    started_at: datetime = field(("Started", "시작"))
    ended_at: datetime | None = field(("Ended", "끝"))
    ending: str | None = field(("Ending", "끝난 모습"), status="backup", example="done")
    reason: str | None = field(("Reason", "이유"), example=None)
    size: int | None = field(("Bytes", "바이트"), example=1048576)
    sha256: str | None = field(
        ("SHA-256", "SHA-256"), example="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )
    checked_at: datetime | None = field(("Checked", "검사한 때"))
    check_result: str | None = field(("Restore check", "복원 검사"), status="backup_check", example="good")
    check_detail: str | None = field(("Check found", "검사 결과"), example=None)


def view_backup(backup: "Backup", viewer: Viewer) -> BackupView:
    return BackupView.of(backup, job=ids.show("job", backup.job_id), state=backup.ending or "running")


BACKUP = Noun(
    "backup",
    "backups",
    "backup",
    BackupView,
    view=f"{__name__}:view_backup",
    columns=(
        *("id", "state", "started_at", "size", "host", "file", "check_result", "reason"),
        *("ended_at", "folder", "sha256", "checked_at", "check_detail"),
    ),
)
BACKUP.lists(
    "list_backups",
    "Lists backups, the newest first. They hold everything: only people of the head office see them.",
    f"{_ROWS}:list_backups",
    columns=("id", "state", "started_at", "size", "host", "file", "check_result", "reason"),
    empty=("No backups yet: pabal backup take", "아직 백업이 없습니다: pabal backup take"),
    of_house=True,
)
