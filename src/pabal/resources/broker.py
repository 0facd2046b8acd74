"""The broker: what became of the events that came in."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.platform.resources import Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.broker import Described, Kept

_ROWS = "pabal.resources.rows"
_SIDES = {"in": ("events in", "이벤트 받기"), "out": ("facts out", "사실 내보내기")}


class BrokerLineView(View):
    """One server's line in one direction. `failed_since` is null while the broker answers."""

    server: str = field(("Server", "서버"), example="server-1:4711")
    side: str = field(("Side", "방향"), words=_SIDES, example="in")
    seen_at: datetime = field(("Heard", "확인"))
    failed_since: datetime | None = field(("Away since", "끊긴 때"))
    error: str | None = field(("Error", "오류"), example=None)


class BrokerView(View):
    """`is_set`: whoever answers has a broker's address. `is_connected` is null when no server with a broker was heard
    of in the last minute."""

    is_set: bool = field(("Broker set", "브로커 설정"), example=True)
    is_connected: bool | None = field(("Connected", "연결"), example=True)
    lag_seconds: float | None = field(
        ("Facts behind (s)", "나가지 못한 사실(초)"),
        description="Age of the oldest fact that is not out yet; null while none go out.",
        example=0.2,
    )
    pending: int | None = field(
        ("Events in hand", "처리 중인 이벤트"), description="Events taken and not acknowledged yet.", example=0
    )
    lines: list[BrokerLineView] = field(("Lines", "연결들"))


class BrokerEventView(View):
    """`id` is the sender's. `raw` is the beginning of what could not be read; `report` what was compared."""

    id: str = field(("ID", "ID"), example="evt-1")
    name: str = field(("Name", "이름"), example="adgroup.PAUSE")
    subject: str = field(("Subject", "대상"), example="adg_01h2xcejqtf2n")
    data: dict[str, Any] | None = field(("Data", "내용"), example={"reason": "sold out"})
    raw: str | None = field(("As it came", "받은 그대로"), example=None)
    result: str = field(("Result", "결과"), status="broker_event", example="refused")
    code: str | None = field(("Code", "코드"), example="guard_refused")
    reason: str | None = field(("Reason", "이유"), example="A condition of this move is not met.")
    report: dict[str, Any] | None = field(("Report", "비교한 값"), example={"state": "READY"})
    tries: int = field(("Tries", "시도"), example=1)
    duplicates: int = field(("Again", "중복"), description="How often it came again.", example=0)
    at: datetime = field(("At", "시각"))
    ended_at: datetime = field(("Ended", "끝"))


class BrokerEventFilter(Filter):
    result: Literal["applied", "refused", "failed", "retrying", "duplicate"] | None = ask(
        "`duplicate`: those that came more than once.", default=None
    )
    subject: str | None = ask("Only about this, as the sender wrote it.", example="adg_01h2xcejqtf2n", default=None)


def view_event(event: "Kept", viewer: Viewer) -> BrokerEventView:
    return BrokerEventView.of(event)


def view_broker(found: "Described", *, is_set: bool) -> BrokerView:
    return BrokerView.of(
        found, is_set=is_set, lines=[BrokerLineView.of(one) for one in found.lines], lag_seconds=found.lag
    )


EVENT = Noun(
    "event",
    "broker/events",
    "broker",
    BrokerEventView,
    view=f"{__name__}:view_event",
    words="pabal.platform.broker.words:STATUS",
)
EVENT.lists(
    "list_broker_events",
    "Lists the events that came in, the newest first. Only people of the head office see them.",
    f"{_ROWS}:list_broker_events",
    columns=("at", "id", "name", "subject", "result", "code", "tries", "duplicates", "reason"),
    empty=("No events.", "이벤트가 없습니다."),
    wanted=BrokerEventFilter,
    of_house=True,
    command="events",
)
