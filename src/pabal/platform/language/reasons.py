"""Why a moment was enqueued, skipped or ended as it was: the engine's own reasons as sentences.

What a handler said stands for itself: only its author knows its words.
"""

import re
from collections.abc import Mapping

from pabal.platform.language.pairs import Lang, Pair, put

# By the reason alone, or with the state or the decision in front where the same word means something else there.
REASONS: Mapping[str, Pair] = {
    "on_time": ("On time.", "제때 등록했습니다."),
    "enqueued late": (
        "Late, but soon enough to be made up for.",
        "늦었지만 따라잡을 수 있는 시간 안이라 등록했습니다.",
    ),
    "skipped late": (
        "Late, and this schedule skips what is late.",
        "늦었고, 이 스케줄은 늦은 시각을 건너뜁니다.",
    ),
    "coalesced late": ("Late; a newer moment runs in its place.", "늦어서 더 새로운 시각에 합쳤습니다."),
    "triggered": ("Triggered by hand.", "사람이 지금 실행했습니다."),
    "skipped asked": ("Somebody asked to skip it.", "건너뛰기로 정했습니다."),
    "cancelled asked": ("Somebody asked to cancel it.", "취소 요청을 받았습니다."),
    "misfire_window": ("Too late to be made up for.", "너무 늦어서 따라잡지 않았습니다."),
    "misfire_max": (
        "More moments were missed than may be made up for.",
        "놓친 시각이 따라잡을 수 있는 횟수보다 많았습니다.",
    ),
    "skipped expired": (
        "Its job would have expired before anybody saw it.",
        "볼 때는 이미 작업의 유효 시간이 지나 있었습니다.",
    ),
    "missed expired": ("Nobody could take its job in time.", "제때 작업을 맡을 서버가 없었습니다."),
    "overlap": ("The run before it had not ended.", "앞 실행이 끝나지 않아 건너뛰었습니다."),
    "paused": ("The schedule was paused.", "스케줄이 멈춰 있었습니다."),
    "deleted": ("The schedule was deleted.", "스케줄이 지워졌습니다."),
    "its worker died": ("Its server died while it ran, too often.", "실행하던 서버가 너무 자주 죽었습니다."),
    "did not stop": (
        "It did not stop when it was told to, and was taken away.",
        "멈추라고 했지만 멈추지 않아 거두었습니다.",
    ),
    "cancelled and did not stop": (
        "It was cancelled, did not stop, and was taken away.",
        "취소했지만 멈추지 않아 거두었습니다.",
    ),
}
_PATTERNS: tuple[tuple[re.Pattern[str], Pair], ...] = (
    (re.compile(r"cancelled by (?P<who>\S+)"), ("Cancelled by {who}.", "{who}이(가) 취소했습니다.")),
    (
        re.compile(r"snoozed (?P<count>\d+) times: (?P<what>.*)", re.DOTALL),
        ("Put off {count} times, which is too often: {what}", "{count}번 미뤄 한도에 닿았습니다: {what}"),
    ),
    (
        re.compile(r"deadline of (?P<seconds>\S+) s passed"),
        ("It took longer than the {seconds} s it may.", "정해진 {seconds}초 안에 끝나지 않았습니다."),
    ),
)


def explain_reason(reason: str, lang: Lang, *circumstances: str) -> str:
    """`circumstances` are the state and the decision. A reason nobody knows here is shown as it is."""
    for key in (*(f"{one} {reason}" for one in circumstances), reason):
        if key in REASONS:
            return put(lang, REASONS[key])
    for pattern, pair in _PATTERNS:
        found = pattern.fullmatch(reason)
        if found is not None:
            return put(lang, pair, **found.groupdict())
    return reason
