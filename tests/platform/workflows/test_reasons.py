"""Why a step or a run ended, in both languages."""

import pytest

from pabal.engine.workflows.definitions import WorkflowNotFound
from pabal.platform.workflows.reasons import tell_reason


@pytest.mark.parametrize(
    ("kept", "korean"),
    [
        ("nothing came in time", "제때 아무것도 오지 않았습니다"),
        ("arrive: nothing came in time", "arrive: 제때 아무것도 오지 않았습니다"),
        ("each[3]: its time is over", "each[3]: 제한 시간이 지났습니다"),
        ("go: there is no chat.send@2 here", "go: chat.send@2 단계를 실행할 앱이 여기에 없습니다"),
        (
            "c: to of letters says where something goes, and was read outside",
            "c: letters 워크플로우의 to 값은 보낼 곳이라, 밖에서 읽은 값을 줄 수 없습니다",
        ),
        ("it gave 9 bytes, more than 8", "결과가 9바이트로, 한도 8바이트를 넘었습니다"),
        (f"start: {WorkflowNotFound('x')}", "start: 이런 워크플로우가 없거나 볼 수 없는 것입니다. (x)"),
    ],
)
def test_what_the_house_says_is_said_in_korean_with_its_facts(kept: str, korean: str):
    assert tell_reason(kept) == (kept, korean)


@pytest.mark.parametrize("written", ["재고가 없어요", "ask: 예산 초과", "Note: nothing came in time", ""])
def test_what_somebody_wrote_stays_as_it_is(written: str):
    assert tell_reason(written) == (written, written)
