"""Why a step or a run ended as it did, in both languages. Kept is the engine's or an app's English, with a code."""

import re
from collections.abc import Iterator
from functools import cache

from pabal.base.errors import PabalError
from pabal.platform.language.errors import korean
from pabal.platform.language.pairs import Pair

# By code: how it is said in English, and in Korean. What a person or a program wrote stands behind the colon.
_SAID: tuple[tuple[str, str, str], ...] = (
    ("time_limit", "nothing came in time", "제때 아무것도 오지 않았습니다"),
    ("time_limit", "its time is over", "제한 시간이 지났습니다"),
    ("unknown_kind", "there is no (\\S+) here", "{} 단계를 실행할 앱이 여기에 없습니다"),
    ("unknown_kind", "(\\S+) cannot run here", "여기서는 {} 단계를 실행할 수 없습니다"),
    ("workflow_failed", "(\\S+) ended as failed", "{} 워크플로우가 실패했습니다"),
    ("workflow_failed", "(\\S+) ended as cancelled", "{} 워크플로우가 취소됐습니다"),
    ("too_deep", "workflows start each other (\\d+) deep at most", "워크플로우는 서로를 {}단계까지만 부를 수 있습니다"),
    (
        "destination_from_outside",
        "([^:]+) of (\\S+) says where something goes, and was read outside",
        "{1} 워크플로우의 {0} 값은 보낼 곳이라, 밖에서 읽은 값을 줄 수 없습니다",
    ),
    ("unknown_workflow", "there is no workflow named (\\S+)", "{} 워크플로우가 없습니다"),
    ("not_a_list", "for_each found no list", "for_each에서 목록을 찾지 못했습니다"),
    ("too_many_items", "(\\d+) items are too many", "항목 {}개는 너무 많습니다"),
    ("too_many_steps", "a run opens (\\d+) steps at most", "한 실행에서 열 수 있는 단계는 {}개까지입니다"),
    ("input_too_large", "what the step is given is too large", "단계에 넘기는 값이 너무 큽니다"),
    ("output_too_large", "it gave (\\d+) bytes, more than (\\d+)", "결과가 {}바이트로, 한도 {}바이트를 넘었습니다"),
    ("run_too_large", "the run gave more than (\\d+) bytes", "실행의 결과가 모두 {}바이트를 넘었습니다"),
    ("not_a_moment", "until found no moment with its zone", "until에서 시간대가 있는 시각을 찾지 못했습니다"),
    ("not_approved", "it was not approved", "승인되지 않았습니다"),
    ("not_approved", "nobody decided in time", "기한까지 아무도 결정하지 않았습니다"),
    ("render_failed", "the render ended as (\\S+)", "렌더가 끝나지 못했습니다: {}"),
    ("rule_run_failed", "the rule's run failed", "룰 실행이 실패했습니다"),
    ("bad_step_input", "within is a duration such as .*, not (.*)", "within에는 90s, 2h 같은 기간을 적어야 합니다: {}"),
    ("step_lost", "quarantined|lost", "단계를 실행하던 서버가 여러 번 멈췄습니다"),
    ("step_lost", "cancelled by (.*)", "{} 님이 작업을 취소했습니다"),
    ("stopped", "the run that waited for it was stopped", "이 실행을 기다리던 실행이 멈췄습니다"),
)
_PATTERNS = tuple((re.compile(english), korean_text) for _, english, korean_text in _SAID)
CODES = frozenset(code for code, _, _ in _SAID)
_STEP = re.compile(r"([a-z][a-z0-9_]{0,59}(?:\[\d+\])?): (.+)", re.DOTALL)


def tell_reason(reason: str) -> Pair:
    """Of a step, or of a run, where the step stands before it. What somebody wrote stays as it is."""
    whole = _translate(reason)
    of_step = _STEP.fullmatch(reason) if whole is None else None
    if of_step is not None:
        inner = _translate(of_step[2])
        whole = None if inner is None else f"{of_step[1]}: {inner}"
    return reason, whole or reason


def _translate(text: str) -> str | None:
    for pattern, said in _PATTERNS:
        found = pattern.fullmatch(text)
        if found is not None:
            return said.format(*found.groups())
    for english, said in _list_errors():
        if text.startswith(english):
            return said + text.removeprefix(english)
    return None


@cache
def _list_errors() -> tuple[Pair, ...]:
    """What errors say of themselves, the facts of the case behind it."""
    known = korean()
    explained = ((" ".join((one.__doc__ or "").split()), known.get(one.code)) for one in _below(PabalError))
    return tuple((english, said) for english, said in explained if english and said)


def _below(error: type[PabalError]) -> Iterator[type[PabalError]]:
    for one in error.__subclasses__():
        yield one
        yield from _below(one)
