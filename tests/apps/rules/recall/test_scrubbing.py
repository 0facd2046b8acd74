"""What looks like a secret leaves a text; what does not, stays."""

import pytest

from pabal.apps.rules.recall.scrubbing import HIDDEN, scrub

SECRET = "Zx81kQ77pLm0Aa93bV5cR2"


@pytest.mark.parametrize(
    "text",
    [
        f"https://kim:{SECRET}@example.com/feed 를 읽어 줘",
        f"password={SECRET} 로 들어가서",
        f'{{"api_key": "{SECRET}"}}',
        f"비밀번호는 {SECRET} 이고",
        f"Authorization: Bearer {SECRET}",
        f"봇 123456789:{SECRET}{SECRET} 으로 보내 줘",
        f"{SECRET}{SECRET}",
    ],
)
def test_a_secret_is_taken_out(text: str):
    cleaned = scrub(text)

    assert SECRET not in cleaned
    assert HIDDEN in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "지난주 AI 뉴스 요약해서 보고서 만들어줘",
        "https://example.com/feeds/ai.xml 에서 20건만",
        "steps:\n  search:\n    do: rules.search\n    with: {topic: AI, days: 7}\n",
        "토큰 수와 비용을 세어 줘",
    ],
)
def test_everything_else_stays(text: str):
    assert scrub(text) == text
