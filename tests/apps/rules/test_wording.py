import pytest

from pabal.apps.rules.scripts import REASONS, ScriptReason
from pabal.apps.rules.sources.errors import BadSourceParams
from pabal.apps.rules.wording import TOO_LONG, tell_briefly, tell_failure


@pytest.mark.parametrize(
    ("kept", "korean"),
    [
        (str(BadSourceParams("ticker")), "데이터 소스에 건넨 값이 빠졌거나 맞지 않습니다. (ticker)"),
        (f"{REASONS[ScriptReason.RAISED][0]} (boom)", f"{REASONS[ScriptReason.RAISED][1]} (boom)"),
        (f"{TOO_LONG[0]} (5 s)", f"{TOO_LONG[1]} (5 s)"),
        ("what the script itself said", "what the script itself said"),
        ("", ""),
    ],
)
def test_why_a_run_failed_is_told_in_both_languages(kept: str, korean: str):
    assert tell_failure(kept) == (kept, korean)


def test_the_front_page_says_in_one_line_why_a_run_failed():
    told = tell_briefly(("no data", "데이터를 받지 못함"), str(BadSourceParams("ticker")))

    assert told[0] == f"no data. {BadSourceParams('ticker')}"
    assert told[1] == "데이터를 받지 못함. 데이터 소스에 건넨 값이 빠졌거나 맞지 않습니다. (ticker)"
    assert [len(one) for one in tell_briefly(("", ""), "x" * 500)] == [200, 200]
