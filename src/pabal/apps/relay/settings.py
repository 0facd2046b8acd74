"""What an operator may change at run time: the stated numbers, and every sentence a KakaoTalk user may get from us."""

from datetime import timedelta
from typing import Any

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

_MESSAGES: Pair = ("Relay: messages", "중계: 메시지")
_REPLIES: Pair = ("Relay: answers", "중계: 답변")
_PAIRING: Pair = ("Relay: pairing", "중계: 페어링")
_LIMITS: Pair = ("Relay: limits", "중계: 제한")
_TEXTS: Pair = ("Relay: texts for users", "중계: 사용자에게 보내는 글")
_SECONDS = timedelta(seconds=1)

CALLBACK_TTL = Setting(
    key="relay.callback_ttl",
    default=60 * _SECONDS,
    least=10 * _SECONDS,
    most=timedelta(minutes=5),
    label=("Life of a callback address", "콜백 주소 유효 시간"),
    help=("How long Kakao accepts the answer to a message.", "카카오가 메시지의 답을 받아 주는 시간입니다."),
    group=_MESSAGES,
    seed="1분",
    requirement="C-54",
)
CALLBACK_MARGIN = Setting(
    key="relay.callback_margin",
    default=5 * _SECONDS,
    least=timedelta(0),
    most=30 * _SECONDS,
    label=("Safety margin before it ends", "만료 전 여유"),
    help=(
        "Answers in the last seconds of a callback address count as late: they might not arrive any more.",
        "만료 직전에 온 답은 늦은 답으로 다룹니다. 카카오에 닿지 못할 수 있기 때문입니다.",
    ),
    group=_MESSAGES,
    requirement="C-58",
)
QUEUE_TTL = Setting(
    key="relay.queue_ttl",
    default=timedelta(minutes=15),
    least=timedelta(minutes=1),
    most=timedelta(days=1),
    label=("Queue time", "대기열 보관 시간"),
    help=(
        "How long a message can be read and a late answer is kept for the user's next message.",
        "메시지를 읽을 수 있고, 늦은 답을 다음 메시지까지 보관하는 시간입니다.",
    ),
    group=_MESSAGES,
    seed="15분",
    requirement="C-55",
)
VISIBILITY = Setting(
    key="relay.visibility_timeout",
    default=20 * _SECONDS,
    least=5 * _SECONDS,
    most=timedelta(minutes=5),
    label=("Handed out again after", "다시 전달까지 기다리는 시간"),
    help=(
        "A message that was handed out and not answered for so long is handed out again while Kakao still waits.",
        "전달했는데 답이 없으면, 카카오가 기다리는 동안 이 시간마다 다시 전달합니다.",
    ),
    group=_MESSAGES,
    requirement="C-48",
)
DIRECT_WAIT = Setting(
    key="relay.direct_wait",
    default=4 * _SECONDS,
    least=timedelta(0),
    most=timedelta(milliseconds=4300),
    label=("Wait for an answer without a callback", "콜백 없이 답을 기다리는 시간"),
    help=(
        "Without a callback address Kakao waits for 5 seconds in all.",
        "콜백 주소가 없으면 카카오는 모두 합쳐 5초까지만 기다립니다.",
    ),
    group=_MESSAGES,
    requirement="C-37",
)
MOST_WAITING = Setting(
    key="relay.most_waiting",
    default=200,
    least=1,
    most=5000,
    label=("Requests waiting at once", "동시에 기다리는 요청 수"),
    help=(
        "Of each server, without a callback address. One more is told that it is too busy.",
        "서버마다, 콜백 주소 없이 기다리는 요청의 수입니다. 넘치면 바쁘다고 답합니다.",
    ),
    group=_LIMITS,
)
KEEP_MESSAGES = Setting(
    key="relay.keep_messages",
    default=timedelta(days=7),
    least=timedelta(days=1),
    most=timedelta(days=365),
    label=("Keep messages for", "메시지 보관 기간"),
    help=("Older messages and their answers are deleted.", "이보다 오래된 메시지와 답은 지웁니다."),
    group=_MESSAGES,
    seed="7일",
    requirement="C-59",
)
GATHER = Setting(
    key="relay.gather",
    default=1 * _SECONDS,
    least=timedelta(0),
    most=10 * _SECONDS,
    label=("Gathering time", "답을 모으는 시간"),
    help=(
        "Instances answer in several pieces, and a callback address works once: further pieces within this time go "
        "out together with the first.",
        "콜백 주소는 한 번만 쓸 수 있습니다. 첫 답 뒤 이 시간 안에 온 답은 함께 보냅니다.",
    ),
    group=_REPLIES,
)
CALLBACK_DELAY = Setting(
    key="relay.callback_delay",
    default=1 * _SECONDS,
    least=timedelta(0),
    most=10 * _SECONDS,
    label=("Not before", "콜백까지 최소 간격"),
    help=(
        "So long after our own answer: Kakao refuses a callback that overtakes it.",
        "카카오에 먼저 응답한 뒤 이만큼 지나서 콜백합니다. 너무 이르면 카카오가 거부합니다.",
    ),
    group=_REPLIES,
)
RESCUE = Setting(
    key="relay.rescue_late",
    default=True,
    label=("Rescue late answers", "늦은 답 살리기"),
    help=(
        "A late answer goes out in front of the answer to the user's next message. Off: it is refused.",
        "늦게 온 답을 사용자의 다음 메시지에 함께 보냅니다. 끄면 거절합니다.",
    ),
    group=_REPLIES,
)
EVENT_API = Setting(
    key="relay.event_api",
    default=False,
    label=("Send late answers at once (paid)", "늦은 답 바로 보내기(유료)"),
    help=(
        "Through Kakao's Event API, 15 KRW each. Needs PABAL_RELAY_REST_KEY and an event block of the name below.",
        "카카오 이벤트 API로 보냅니다(건당 15원). PABAL_RELAY_REST_KEY와 아래 이름의 이벤트 블록이 필요합니다.",
    ),
    group=_REPLIES,
)
EVENT_NAME = Setting(
    key="relay.event_name",
    default="pabal_late_reply",
    label=("Name of the event block", "이벤트 블록 이름"),
    help=("Its block shows what comes as {{#event.text}}.", "그 블록은 {{#event.text}}로 글을 보여 줍니다."),
    group=_REPLIES,
)
EVENT_COST = Setting(
    key="relay.event_cost",
    default=15,
    least=0,
    most=10_000,
    unit=("KRW", "원"),
    label=("Cost of one event message", "이벤트 메시지 한 건 비용"),
    help=("For the sum on the accounts page.", "계정 화면의 합계에 씁니다."),
    group=_REPLIES,
)
ASLEEP_AFTER = Setting(
    key="relay.asleep_after",
    default=60 * _SECONDS,
    least=45 * _SECONDS,
    most=timedelta(hours=1),
    label=("Asleep after", "쉬는 것으로 보는 시간"),
    help=(
        "An account nobody has read from for so long: users are told at once, and so is its owner.",
        "이만큼 아무도 읽지 않은 계정의 사용자에게는 바로 알려 주고, 계정 담당자에게도 알립니다.",
    ),
    group=_MESSAGES,
)
CODE_TTL = Setting(
    key="relay.code_ttl",
    default=timedelta(minutes=10),
    least=timedelta(minutes=1),
    most=timedelta(days=1),
    label=("Life of a pairing code", "페어링 코드 유효 시간"),
    help=("Unless another one is asked for.", "따로 정하지 않았을 때의 시간입니다."),
    group=_PAIRING,
    seed="10분",
    requirement="C-56",
)
MOST_CODES = Setting(
    key="relay.most_codes",
    default=5,
    least=1,
    most=100,
    label=("Active codes of an account", "계정당 활성 코드"),
    help=(
        "At once; revoke one to make another.",
        "동시에 쓸 수 있는 코드 수입니다. 하나를 취소하면 새로 만들 수 있습니다.",
    ),
    group=_PAIRING,
    seed="5개",
    requirement="C-70",
)
KEEP_CODES = Setting(
    key="relay.keep_codes",
    default=timedelta(days=30),
    least=timedelta(days=1),
    most=timedelta(days=365),
    label=("Keep used codes for", "사용한 코드 보관 기간"),
    help=("Then they are deleted.", "이 기간이 지나면 지웁니다."),
    group=_PAIRING,
    requirement="C-60",
)
MOST_FAILURES = Setting(
    key="relay.pairing_failures",
    default=5,
    least=1,
    most=100,
    label=("Wrong codes", "틀린 코드 허용 횟수"),
    help=("Of one user within the time below.", "한 사용자가 아래 시간 안에 틀릴 수 있는 횟수입니다."),
    group=_PAIRING,
    requirement="C-71",
)
FAILURES_WITHIN = Setting(
    key="relay.pairing_window",
    default=timedelta(minutes=5),
    least=timedelta(minutes=1),
    most=timedelta(hours=1),
    label=("… within", "… 을(를) 세는 시간"),
    help=("Wrong codes are counted for so long.", "틀린 코드를 세는 시간입니다."),
    group=_PAIRING,
    requirement="C-71",
)
FAILURES_BLOCK = Setting(
    key="relay.pairing_block",
    default=timedelta(minutes=15),
    least=timedelta(minutes=1),
    most=timedelta(days=1),
    label=("… then blocked for", "… 넘었을 때 막는 시간"),
    help=("No code of that user is looked at meanwhile.", "그동안 그 사용자의 코드를 확인하지 않습니다."),
    group=_PAIRING,
    requirement="C-71",
)
OPEN_SESSIONS = Setting(
    key="relay.open_sessions",
    default=True,
    label=("Instances may come by themselves", "인스턴스가 스스로 연결"),
    help=(
        "An OpenClaw plugin without a token asks for a session and shows a code. Off: only accounts made here.",
        "토큰이 없는 OpenClaw 플러그인이 세션을 만들고 코드를 보여 줍니다. 끄면 여기서 만든 계정만 씁니다.",
    ),
    group=_PAIRING,
)
SESSION_TTL = Setting(
    key="relay.session_ttl",
    default=timedelta(minutes=5),
    least=timedelta(minutes=1),
    most=timedelta(hours=1),
    label=("Life of an unpaired session", "페어링 전 세션 유효 시간"),
    help=("Then its code and its token are worth nothing.", "지나면 코드와 토큰을 쓸 수 없습니다."),
    group=_PAIRING,
)
SESSIONS_PER_ADDRESS = Setting(
    key="relay.sessions_per_address",
    default=10,
    least=1,
    most=10_000,
    label=("New sessions of an address in 5 minutes", "주소당 5분 동안 새 세션"),
    help=("One more is refused.", "넘으면 거절합니다."),
    group=_LIMITS,
)
STATUS_PER_ADDRESS = Setting(
    key="relay.status_per_address",
    default=30,
    least=1,
    most=100_000,
    label=("Session status requests of an address per minute", "주소당 1분 동안 세션 상태 확인"),
    help=("Of each server. One more is refused.", "서버마다 셉니다. 넘으면 거절합니다."),
    group=_LIMITS,
)
RATE_LIMIT = Setting(
    key="relay.rate_limit_per_minute",
    default=60,
    least=1,
    most=1_000_000,
    label=("Requests of a new account per minute", "새 계정의 분당 요청 한도"),
    help=(
        "A long poll or a stream counts once, however long it is open.",
        "롱 폴링이나 스트림은 얼마나 오래 열려 있든 한 번으로 셉니다.",
    ),
    group=_LIMITS,
    seed="60",
    requirement="C-26",
)
TOKEN_OVERLAP = Setting(
    key="relay.token_overlap",
    default=timedelta(minutes=10),
    least=timedelta(0),
    most=timedelta(days=7),
    label=("An old token works for", "이전 토큰을 함께 쓰는 시간"),
    help=("After a new one was issued, unless asked otherwise.", "새 토큰을 발급한 뒤 이전 토큰이 통하는 시간입니다."),
    group=_LIMITS,
    requirement="C-67",
)


def _text(
    name: str, label: Pair, korean: str, english: str, help: Pair = ("", "")
) -> tuple[Setting[str], Setting[str]]:
    """The same sentence in both languages: Kakao says which one a user reads."""
    return (
        _one_text(f"relay.text_{name}_ko", (f"{label[0]} (Korean)", f"{label[1]} (한국어)"), korean, help),
        _one_text(f"relay.text_{name}_en", (f"{label[0]} (English)", f"{label[1]} (영어)"), english, help),
    )


def _one_text(key: str, label: Pair, default: str, help: Pair) -> Setting[str]:
    told = help if help[0] else ("What a KakaoTalk user reads.", "카카오톡 사용자가 읽는 글입니다.")
    return Setting(key=key, default=default, label=label, help=told, group=_TEXTS)


UNPAIRED = _text(
    "unpaired",
    ("Not paired", "페어링 전"),
    "아직 연결된 비서가 없습니다. 비서에게서 받은 코드를 '/pair ABCD-2345'처럼 보내 주세요.",
    "You are not connected yet. Send the code your assistant gave you, as in: /pair ABCD-2345",
)
PENDING = _text(
    "pending",
    ("Waiting for approval", "승인 대기"),
    "연결 승인을 기다리고 있습니다. 승인되면 바로 이야기할 수 있습니다.",
    "Pairing in progress: the owner has to approve it. You can talk as soon as that is done.",
)
BLOCKED = _text(
    "blocked",
    ("Blocked", "차단됨"),
    "이 대화는 사용할 수 없습니다.",
    "This conversation is not available.",
    ("May be empty: then nothing is said.", "비워 두면 아무 말도 하지 않습니다."),
)
ASLEEP = _text(
    "asleep",
    ("Asleep", "쉬는 중"),
    "비서가 지금 쉬고 있어 답할 수 없습니다. 담당자에게 알렸으니 잠시 뒤 다시 말씀해 주세요.",
    "The assistant is not reachable right now. Its owner has been told; please try again later.",
)
BUSY = _text(
    "busy",
    ("Too busy", "너무 바쁨"),
    "지금은 요청이 많습니다. 잠시 뒤 다시 말씀해 주세요.",
    "Too busy right now. Please try again in a moment.",
)
WAITING = _text(
    "waiting",
    ("Waiting for the answer", "답을 기다리는 동안"),
    "생각하고 있어요…",
    "Thinking…",
    ("Kakao shows it where the block says so.", "블록에 설정한 자리에 카카오가 보여 줍니다."),
)
NO_ANSWER = _text(
    "no_answer",
    ("No answer in time", "제때 답하지 못함"),
    "아직 답이 준비되지 않았습니다. 준비되면 다음 메시지에 함께 전해 드릴게요.",
    "The answer is not ready yet. It will come together with the answer to your next message.",
)
FALLBACK = _text(
    "fallback",
    ("Something went wrong", "문제가 생겼을 때"),
    "지금은 메시지를 전달하지 못했습니다. 잠시 뒤 다시 말씀해 주세요.",
    "Your message could not be passed on. Please try again in a moment.",
)
LATE_MARK = _text(
    "late",
    ("In front of a late answer", "늦은 답 앞에"),
    "앞서 하신 말씀에 대한 늦은 답입니다.",
    "This is the late answer to what you said before.",
)
MORE = _text(
    "more",
    ("Button for the rest of a long answer", "긴 답의 나머지를 보는 버튼"),
    "더 보기",
    "Show more",
    (
        "Up to 14 characters. Empty: there is no button, and what does not fit is not sent.",
        "14자까지 보입니다. 비워 두면 버튼이 없고, 넘치는 글은 보내지 않습니다.",
    ),
)

TEXTS = (UNPAIRED, PENDING, BLOCKED, ASLEEP, BUSY, WAITING, NO_ANSWER, FALLBACK, LATE_MARK, MORE)
NUMBERS: tuple[Setting[Any], ...] = (
    *(CALLBACK_TTL, CALLBACK_MARGIN, QUEUE_TTL, VISIBILITY, DIRECT_WAIT, ASLEEP_AFTER, KEEP_MESSAGES),
    *(GATHER, CALLBACK_DELAY, RESCUE, EVENT_API, EVENT_NAME, EVENT_COST),
    *(CODE_TTL, MOST_CODES, KEEP_CODES, MOST_FAILURES, FAILURES_WITHIN, FAILURES_BLOCK, OPEN_SESSIONS, SESSION_TTL),
    *(RATE_LIMIT, TOKEN_OVERLAP, MOST_WAITING, SESSIONS_PER_ADDRESS, STATUS_PER_ADDRESS),
)
ALL: tuple[Setting[Any], ...] = (*NUMBERS, *(one for both in TEXTS for one in both))


def in_language(both: tuple[Setting[str], Setting[str]], lang: str) -> Setting[str]:
    return both[0] if lang == "ko" else both[1]
