"""Files: what is known of one. Their bytes have routes of their own."""

from datetime import datetime
from typing import TYPE_CHECKING

from pabal.platform.resources import View, field

if TYPE_CHECKING:
    from pabal.platform.storage import File


class FileView(View):
    """A file. Pictures have a width, a height and frames."""

    id: str = field(("ID", "ID"), example="file_01h2xcejqtf2n")
    unit_id: int | None = field(
        ("Unit", "조직"), description="The organisation unit it belongs to.", kind="unit", example=3
    )
    name: str = field(("Name", "이름"), example="poster.jpg")
    media_type: str = field(("Type", "종류"), example="image/jpeg")
    size: int = field(("Size", "크기"), example=48211)
    sha256: str = field(
        ("SHA-256", "SHA-256"), example="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )
    width: int | None = field(("Width", "너비"), example=1080)
    height: int | None = field(("Height", "높이"), example=1350)
    frames: int | None = field(("Frames", "프레임"), example=1)
    made_by: str = field(("Made by", "올린 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    keep_until: datetime | None = field(("Kept until", "보관 기한"))


class StoreView(View):
    """How much lies in one store. `is_main`: new files go there."""

    store: str = field(("Store", "저장소"), example="s3://store.example.com/pabal")
    files: int = field(("Files", "파일"), example=120)
    bytes: int = field(("Bytes", "바이트"), example=48211000)
    is_main: bool = field(("New files", "새 파일"), example=True)


class FilesMovedView(View):
    """What a move did. `missing` are listed, but their content is in no store; `tidied` an earlier move had left."""

    store: str = field(("Store", "저장소"), example="s3://store.example.com/pabal")
    files: int = field(("Files", "파일"), example=120)
    bytes: int = field(("Bytes", "바이트"), example=48211000)
    missing: list[str] = field(("Missing", "없는 것"), example=[])
    tidied: int = field(("Tidied", "치운 것"), example=0)


def view_file(file: "File") -> FileView:
    return FileView.of(file, id=file.shown_id)
