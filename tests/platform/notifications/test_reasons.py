"""What is kept of a failure is shown as a sentence in the reader's language; others' own words stay theirs."""

import pytest

from pabal.platform.notifications import explain

SENTENCES = {
    "the channel is off or stopped": ("The channel is off or stopped.", "채널이 꺼져 있거나 멈춰 있습니다."),
    "no answer within 10 s": ("No answer within 10 s.", "10초 안에 답이 없었습니다."),
    "no connection: refused": ("No connection: refused", "연결하지 못했습니다: refused"),
    "sendMessage: Away": ("Telegram could not be reached (Away).", "텔레그램에 닿지 못했습니다(Away)."),
    "the document a.csv is not there any more": (
        "The document a.csv is not there any more.",
        "첨부 파일 a.csv이(가) 이제 없습니다.",
    ),
    "expired": ("It could not be sent in time.", "제때 보내지 못했습니다."),
    "deadline of 60 s passed": ("It took longer than the 60 s it may.", "정해진 60초 안에 끝나지 않았습니다."),
}


@pytest.mark.parametrize("reason", SENTENCES)
def test_a_reason_has_a_sentence_in_both_languages(reason: str):
    assert (explain(reason, "en"), explain(reason, "ko")) == SENTENCES[reason]


def test_what_telegram_answered_is_shown_with_what_it_means():
    refused = "Telegram refused it: 400 Bad Request: chat not found"

    assert explain(refused, "ko") == "400 Bad Request: chat not found: 그런 채팅이 없거나 봇이 들어 있지 않습니다"
    assert explain("Telegram refused it: 400 Bad Request: {odd}", "ko").endswith("400 Bad Request: {odd}")
    assert "다른 프로그램이" in explain("409 Conflict: terminated by other getUpdates request", "ko")
    assert "웹훅이" in explain("409 Conflict: can't use getUpdates method while webhook is active", "ko")


@pytest.mark.parametrize("said", ["503 busy", "폐점했습니다", "550 kim@example.com: no such user"])
def test_what_a_receiver_said_stays_its_own(said: str):
    assert explain(said, "ko") == said
