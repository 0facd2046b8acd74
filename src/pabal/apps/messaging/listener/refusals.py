"""Why a connection is closed, in words for whoever reads the phone's log."""

from dataclasses import dataclass

from pabal.platform.language.pairs import Pair


@dataclass(frozen=True, slots=True)
class Refusal:
    """`reason` is what is counted. `is_routine`: nobody did anything wrong."""

    reason: str
    message: Pair
    is_routine: bool = False

    @property
    def text(self) -> str:
        """Nobody knows the language of a phone's owner, so both."""
        return f"{self.message[1]} / {self.message[0]}"


def garbage(detail: str) -> Refusal:
    return Refusal("garbage", (f"Not a packet: {detail}.", f"패킷이 아닙니다: {detail}."))


def incomplete(detail: str) -> Refusal:
    return Refusal("incomplete", (f"Handshake incomplete: {detail}.", f"핸드셰이크가 불완전합니다: {detail}."))


OVERSIZED = Refusal("oversized", ("The line is longer than 1 MB.", "한 줄이 1MB를 넘습니다."))
TOO_LONG = Refusal(
    "oversized",
    ("Before it is approved a device sends lines of up to 64 KB.", "승인 전에는 한 줄을 64KB까지만 보낼 수 있습니다."),
)
CROWDED = Refusal(
    "crowded",
    (
        "Too many connections that nobody approved; this one makes room. Try again later.",
        "승인되지 않은 연결이 너무 많아 이 연결을 닫습니다. 나중에 다시 연결하세요.",
    ),
)
SLOW = Refusal("slow", ("A packet was begun and not finished in time.", "패킷을 시작하고 제때 끝내지 않았습니다."))
NO_HANDSHAKE = Refusal("no_handshake", ("No handshake within 10 s.", "10초 안에 핸드셰이크가 오지 않았습니다."))
OTHER_IDENTITY = Refusal(
    "other_identity", ("One connection is one bot; connect again.", "연결 하나에 봇은 하나입니다. 다시 연결하세요.")
)
TRY_LATER = Refusal(
    "try_later", ("The server cannot decide now; try later.", "서버가 지금 확인할 수 없습니다. 나중에 다시 시도하세요.")
)
BROKEN = Refusal("broken", ("The server made a mistake; connect again.", "서버 오류입니다. 다시 연결하세요."))
REPLACED = Refusal(
    "replaced",
    ("A newer connection of this bot took over.", "이 봇의 새 연결이 들어와 이 연결을 닫습니다."),
    is_routine=True,
)
BLOCKED = Refusal(
    "blocked", ("This device is blocked; ask who runs the server.", "차단된 기기입니다. 관리자에게 문의하세요.")
)
MOVED = Refusal(
    "moved",
    ("This bot is connected to another server now.", "이 봇은 이제 다른 서버에 연결되어 있습니다."),
    is_routine=True,
)
SILENT = Refusal("silent", ("No answer to pings for too long.", "핑에 너무 오래 답하지 않았습니다."))
NO_RECEIPT = Refusal(
    "no_receipt",
    ("No answer to the ping behind a message in its time.", "메시지 뒤의 핑에 제때 답하지 않았습니다."),
)
STOPPING = Refusal(
    "stopping", ("This server stops; connect to another.", "서버를 멈춥니다. 다른 서버에 연결하세요."), is_routine=True
)
