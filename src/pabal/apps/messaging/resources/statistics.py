"""Statistics: how well, how late and where messages were sent; archived months; the load of the servers of bots."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from pabal.apps.messaging.model.bots import BotServer
from pabal.apps.messaging.model.deliveries import Archive
from pabal.engine import ids
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import View, column, field

if TYPE_CHECKING:
    from pabal.platform.storage import File

BASE = "/api/v1/messages"


class BotServerView(View):
    """What one server of bots said of itself last."""

    server: str = field(("Server", "서버"), example="wrk_01h2xcejqtf2n")
    host: str = field(("Host", "호스트"), example="server-1")
    port: int = field(("Port", "포트"), example=1490)
    active_bots: int = field(("Bots", "봇"), example=42)
    total_connections: int = field(("Connections", "연결"), example=45)
    memory_mb: float = field(("Memory (MB)", "메모리(MB)"), example=181.5)
    cpu_percent: float = field(("CPU (%)", "CPU(%)"), example=3.2)
    refused: int = field(("Refused", "거절"), example=0)
    started_at: datetime = field(("Started", "시작"))
    at: datetime = field(("At", "시각"))

    @column(("Address", "주소"))
    def address(self, _: Lang) -> str:
        return f"{self.host}:{self.port}"

    @column(("Memory (MB)", "메모리(MB)"))
    def memory(self, _: Lang) -> float:
        return round(self.memory_mb, 1)

    @column(("CPU (%)", "CPU(%)"))
    def cpu(self, _: Lang) -> float:
        return round(self.cpu_percent, 1)


class MessageArchiveView(View):
    """A month is one in Seoul. `link` is where its deliveries are, as gzipped JSON lines of `size` bytes."""

    month: str = field(("Month", "달"), example="2026-10")
    deliveries: int = field(("Sends", "발송"), example=48210)
    made_at: datetime = field(("Made", "만든 때"))
    size: int = field(("Size", "크기"), example=1048576)
    link: str = field(("Link", "주소"), example=f"{BASE}/archives/2026-10")
    file: str = field(("File", "파일"), example="deliveries-2026-10.jsonl.gz")


class CopiedArchiveView(MessageArchiveView):
    to: str = field(("Copied to", "복사한 곳"))


class ArchivedMonth(Protocol):
    """See actions/archives.py."""

    @property
    def name(self) -> str: ...
    @property
    def archive(self) -> Archive: ...
    @property
    def file(self) -> "File": ...


def archive_of(month: ArchivedMonth) -> dict[str, Any]:
    return {
        "month": month.name,
        "deliveries": month.archive.deliveries,
        "made_at": month.archive.made_at,
        "size": month.file.size,
        "link": f"{BASE}/archives/{month.name}",
        "file": month.file.name,
    }


def view_server(one: BotServer) -> BotServerView:
    return BotServerView.of(one, server=ids.show("wrk", one.worker))
