"""What an operator may change about the bridge at run time."""

import re
from datetime import timedelta

from pabal.base.settings import split_list
from pabal.platform.broker.model import BadPatterns, BadStream
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

GROUP: Pair = ("Broker", "브로커")
_PATTERN = re.compile(r"\*|[a-z][a-z0-9_]*(\.[a-z0-9_]+)*(\.?\*)?")
_STREAM = re.compile(r"[A-Za-z0-9._-]{1,200}")


def read_patterns(text: str) -> tuple[str, ...]:
    names = split_list(text)
    wrong = [name for name in names if _PATTERN.fullmatch(name) is None]
    if wrong:
        raise BadPatterns(", ".join(wrong)[:200])
    return tuple(names)


def check_stream(name: str) -> None:
    if _STREAM.fullmatch(name) is None:
        raise BadStream(name[:200])


FACTS_OUT = Setting(
    key="broker.facts_out",
    default="adgroup.*, adgroups.*",
    label=("Facts that go out", "내보내는 사실"),
    help=(
        "Names of facts, separated by commas; a name may end in a star. Empty: none, and none are kept for later.",
        "사실의 이름을 쉼표로 나누어 적습니다. 끝에 *를 쓸 수 있습니다. 비우면 내보내지 않고, 모아 두지도 않습니다.",
    ),
    group=GROUP,
    requirement="E-11",
    check=read_patterns,
)
FACTS_STREAM = Setting(
    key="broker.facts_stream",
    default="pabal.facts",
    label=("Stream of facts", "사실 스트림"),
    help=("The stream or topic that facts go out to.", "사실을 내보내는 스트림(토픽)입니다."),
    group=GROUP,
    check=check_stream,
)
FACTS_KEPT = Setting(
    key="broker.facts_kept",
    default=1_000_000,
    least=1_000,
    most=100_000_000,
    label=("Facts kept in the stream", "스트림에 남기는 사실"),
    help=(
        "About so many stay in a Redis stream, so that its memory has an end. Kafka keeps by its own rules.",
        "Redis 스트림에 대략 이만큼 남겨 메모리가 끝없이 늘지 않게 합니다. Kafka는 자체 규칙을 따릅니다.",
    ),
    group=GROUP,
)
EVENTS_STREAM = Setting(
    key="broker.events_stream",
    default="pabal.events",
    label=("Stream of events", "이벤트 스트림"),
    help=("The stream or topic that events come in by.", "이벤트를 받는 스트림(토픽)입니다."),
    group=GROUP,
    requirement="E-11",
    check=check_stream,
    needs_restart=True,
)
RECLAIM_AFTER = Setting(
    key="broker.reclaim_after",
    default=timedelta(minutes=1),
    least=timedelta(seconds=1),
    most=timedelta(days=1),
    label=("An event is taken over after", "이벤트를 이어받는 때"),
    help=(
        "An event that a server took and did not finish is taken by another after this.",
        "한 서버가 받아 놓고 끝내지 못한 이벤트를 이 시간이 지나면 다른 서버가 이어받습니다.",
    ),
    group=GROUP,
    needs_restart=True,
)
KEEP_EVENTS = Setting(
    key="broker.keep_events",
    default=timedelta(days=90),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep events", "이벤트 보관"),
    help=(
        "How long events stay in the list. An event that comes again later than this counts as new.",
        "이벤트를 목록에 남겨 두는 기간입니다. 이보다 늦게 다시 온 이벤트는 새 이벤트로 봅니다.",
    ),
    group=GROUP,
)
SETTINGS = (FACTS_OUT, FACTS_STREAM, FACTS_KEPT, EVENTS_STREAM, RECLAIM_AFTER, KEEP_EVENTS)
