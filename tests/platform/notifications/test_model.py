from typing import Any

import pytest

from pabal.platform.notifications import BadChannel, BadNotice, BadToken, Channel, ChannelForm, Level
from pabal.platform.notifications.model import TEXT_LENGTH, read_bot_id
from tests.support.telegram import BOT, TOKEN, notice


def channel(**options: Any) -> Channel:
    given: dict[str, Any] = dict.fromkeys(Channel.__dataclass_fields__)
    return Channel(**{**given, "least_level": Level.INFO, "wants": (), **options})


@pytest.mark.parametrize(
    ("wants", "is_wanted"),
    [((), True), (("*",), True), (("messaging.*",), True), (("alerts.*", "*_failed"), True), (("alerts.*",), False)],
)
def test_a_channel_hears_what_it_asked_for(wants: tuple[str, ...], is_wanted: bool):
    assert channel(wants=wants).wants_notice(notice()) is is_wanted


@pytest.mark.parametrize(
    ("level", "heard_by"),
    [
        (Level.INFO, [Level.INFO]),
        (Level.ATTENTION, [Level.INFO, Level.ATTENTION]),
        (Level.FAILURE, [Level.INFO, Level.ATTENTION, Level.FAILURE]),
    ],
)
def test_a_channel_hears_its_least_level_and_above(level: Level, heard_by: list[Level]):
    said = notice(level=level)

    assert [least for least in Level if channel(least_level=least).wants_notice(said)] == heard_by


def test_a_message_names_the_place_and_speaks_the_channels_language():
    said = notice(text=("{n} were lost", "{n}건을 잃었습니다"), values={"n": 3}, level=Level.FAILURE)

    assert said.as_message("ko", "해운대점") == "🔴 해운대점 · 발송 실패\n3건을 잃었습니다"
    assert said.as_message("en", "해운대점") == "🔴 해운대점 · A delivery failed\n3 were lost"


def test_what_a_database_cannot_hold_or_nobody_would_read_is_left_out():
    said = notice(text=("a\x00b \ud800 " + "x" * TEXT_LENGTH, "가"))

    shown = said.say_text("en")

    assert shown.startswith("ab ? xx")
    assert shown.endswith("x…")
    assert len(shown) == TEXT_LENGTH


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Failed"},
        {"title": ("", "실패")},
        {"link": "https://elsewhere.example"},
        {"link": "//elsewhere.example"},
    ],
)
def test_a_notice_that_cannot_be_shown_is_refused(wrong: dict[str, Any]):
    with pytest.raises(BadNotice):
        notice(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 101},
        {"chat_id": ""},
        {"chat_id": "my chat"},
        {"chat_id": "٤٢"},
        {"wants": ("Messaging.*",)},
        {"wants": ("a.*",) * 21},
    ],
)
def test_a_channel_that_could_not_work_is_refused(wrong: dict[str, Any]):
    with pytest.raises(BadChannel):
        ChannelForm(**{"name": "운영", "chat_id": "-100123", **wrong})


def test_a_form_does_not_show_its_token():
    assert TOKEN not in repr(ChannelForm("운영", "@pabal_news", TOKEN))


@pytest.mark.parametrize("wrong", ["", "123", "abc:" + "x" * 30, "123:short", TOKEN + " ", TOKEN + "\n"])
def test_what_is_no_bot_token_is_refused_and_not_repeated(wrong: str):
    assert read_bot_id(TOKEN) == BOT

    with pytest.raises(BadToken) as raised:
        read_bot_id(wrong)

    assert raised.value.detail == ""
