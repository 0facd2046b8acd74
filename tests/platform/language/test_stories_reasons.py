"""The engine's reasons as sentences."""

from pabal.engine.why import Line
from pabal.platform.language.stories import REASONS, explain_reason, tell


def test_a_reason_is_a_sentence_in_both_languages() -> None:
    assert explain_reason("overlap", "en", "skipped") == "The run before it had not ended."
    assert explain_reason("overlap", "ko", "skipped") == "앞 실행이 끝나지 않아 건너뛰었습니다."


def test_the_same_word_means_something_else_in_another_state() -> None:
    said = {explain_reason("late", "en", state) for state in ("enqueued", "skipped", "coalesced")}

    assert len(said) == 3
    assert explain_reason("expired", "en", "missed", "enqueued") != explain_reason("expired", "en", "skipped")


def test_what_ended_well_keeps_the_reason_of_its_decision() -> None:
    assert explain_reason("late", "en", "done", "enqueued") == explain_reason("late", "en", "enqueued")


def test_reasons_with_a_name_or_a_number_in_them_are_told_too() -> None:
    assert explain_reason("cancelled by user:7", "ko", "cancelled") == "user:7이(가) 취소했습니다."
    assert explain_reason("snoozed 3 times: {no} bot", "en", "failed").endswith("too often: {no} bot")
    assert "2.5" in explain_reason("deadline of 2.5 s passed", "ko", "failed")


def test_what_a_handler_said_stands_for_itself() -> None:
    assert explain_reason("SpilledOver: {too} full", "ko", "failed") == "SpilledOver: {too} full"


def test_no_sentence_is_missing_in_a_language() -> None:
    assert all(english.strip() and korean.strip() and english != korean for english, korean in REASONS.values())


def test_how_far_a_job_is_is_told_in_words() -> None:
    far = Line(None, "running", {"host": "studio", "worker": "wrk_1", "progress": {"step": "encoding", "percent": 85}})
    silent = Line(None, "running", {"host": "studio", "worker": "wrk_1", "progress": None})

    assert tell(far, "en", str) == "Running on studio (worker wrk_1). Progress: step encoding, 85 %"
    assert tell(silent, "ko", str).endswith("진행: –")
