"""The simulator's videos are real ones."""

import io

import av
import pytest

from pabal.apps.rendering.simulator.films import Film, make_film, make_short_film

LEAST = 100 * 1024


@pytest.mark.parametrize("film", [Film(1920, 1080, 1.0), Film(320, 180, 1.0)])
def test_a_film_has_the_asked_size_and_length_and_is_above_100_kb(film: Film) -> None:
    made = make_film(film, composition="Main", uid="rq-1-a1")

    with av.open(io.BytesIO(made)) as video:
        stream = video.streams.video[0]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", film.width, film.height)
        assert sum(1 for _ in video.decode(stream)) == film.frames
        assert video.metadata["title"] == "rq-1-a1"
    assert len(made) > LEAST


def test_two_jobs_never_have_the_same_file() -> None:
    film = Film(320, 180, 1.0)

    assert len({make_film(film, composition=name, uid=uid) for name in ("A", "B") for uid in ("1", "2")}) == 4


def test_a_short_film_plays_and_is_below_100_kb() -> None:
    made = make_short_film(Film(), composition="Main", uid="a")

    with av.open(io.BytesIO(made)) as video:
        assert sum(1 for _ in video.decode(video=0)) == 1
    assert len(made) < LEAST
