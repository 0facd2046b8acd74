import pytest

from pabal.apps.rendering.model.nexstates import STATES, BadStateWords, NexJob, Phase, read_job, read_words


@pytest.mark.req("B-44", "B-47")
def test_both_shapes_of_an_answer_are_read():
    real = {"uid": "rq-1-a1", "state": "render:dorender", "renderProgress": 45, "error": None}
    seed = {"id": "rq-1-a1", "status": "rendering", "progress": 45}

    assert read_job(real) == NexJob("rq-1-a1", "render:dorender", 45)
    assert read_job(seed) == NexJob("rq-1-a1", "rendering", 45)


@pytest.mark.parametrize("answer", [None, [], "ok", {}, {"uid": 7, "state": "queued"}, {"uid": "a"}])
def test_what_is_no_job_is_none(answer: object):
    assert read_job(answer) is None


@pytest.mark.parametrize(
    ("progress", "read"), [(None, 0), ("45", 0), (True, 0), (float("nan"), 0), (-3, 0), (45.9, 45), (300, 100)]
)
def test_progress_is_a_whole_number_from_0_to_100(progress: object, read: int):
    job = read_job({"uid": "a", "state": "started", "renderProgress": progress})

    assert job is not None
    assert job.progress == read


def test_an_error_may_be_a_text_or_several():
    job = read_job({"uid": "a", "state": "error", "error": ["first", "second"]})

    assert job is not None
    assert job.error == "first; second"


@pytest.mark.req("B-16", "B-17", "B-48")
@pytest.mark.parametrize(
    ("state", "progress", "ours"),
    [
        ("created", 0, "rendering"),
        ("queued", 0, "rendering"),
        ("picked", 0, "rendering"),
        ("started", 0, "rendering"),
        ("render:setup", 0, "rendering"),
        ("render:dorender", 45, "rendering"),
        ("render:dorender", 100, "encoding"),
        ("render:postrender", 0, "encoding"),
        ("encoding", 0, "encoding"),
        ("finished", 100, "uploading"),
        ("error", 10, "failed"),
        ("render:something-new", 10, "rendering"),
    ],
)
def test_every_state_of_nexrender_becomes_one_of_ours(state: str, progress: int, ours: str):
    assert STATES[NexJob("a", state, progress).phase()] == ours


def test_an_operator_may_say_what_a_state_means():
    words = read_words("waiting=queued, packing = encoding")

    assert NexJob("a", "waiting").phase(words) is Phase.QUEUED
    assert NexJob("a", "packing").phase(words) is Phase.ENCODING
    with pytest.raises(BadStateWords):
        read_words("waiting=asleep")
