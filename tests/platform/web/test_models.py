"""Models of descriptions: what is said is read as the ask, and what must hold between fields is refused and shown."""

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from pabal.platform.resources import KEPT, Ask, View, ask, case, field
from pabal.platform.web.etags import tag_of
from pabal.platform.web.models import body_of, read_ask


class Trip(Ask):
    """By train or on foot."""

    train: str | None = ask("Which.", example=None, default=None)
    shoes: str | None = ask("Which.", example="boots", default=None)
    cases = (case("train", shoes={"type": "null"}), case("shoes", train={"type": "null"}))

    def fits(self) -> None:
        if (self.train is None) == (self.shoes is None):
            raise ValueError("say train or shoes")


class TripChange(Ask):
    """Only what is given changes."""

    shoes: str = ask("Which.", example="boots", default=KEPT)
    at: datetime | None = ask("When.", example=None, default=KEPT)


class Told(View):
    """A thing and a sentence about it."""

    name: str = field(("Name", "이름"))
    reason: str = field(("Reason", "이유"), is_told=True)


def test_what_does_not_go_together_is_refused_and_shown_in_the_schema() -> None:
    body = body_of(Trip)

    read = read_ask(Trip, body.model_validate({"shoes": "boots"}))

    assert read == Trip(shoes="boots")
    assert body.model_json_schema()["allOf"] == [{"oneOf": list(Trip.cases)}]
    for wrong in ({}, {"train": "KTX", "shoes": "boots"}):
        with pytest.raises(ValidationError, match="say train or shoes"):
            body.model_validate(wrong)


def test_what_an_edit_leaves_out_is_kept_and_has_no_default_in_the_schema() -> None:
    body = body_of(TripChange)

    said: list[dict[str, Any]] = [{}, {"at": None}, {"shoes": "clogs"}]

    assert [read_ask(TripChange, body.model_validate(one)).arguments() for one in said] == said
    schema = body.model_json_schema()
    assert "required" not in schema
    assert [name for name, one in schema["properties"].items() if "default" in one] == []
    with pytest.raises(ValidationError):
        body.model_validate({"shoes": None})


def test_a_sentence_says_nothing_about_the_version_one_read() -> None:
    english, korean = Told(name="여름", reason="running"), Told(name="여름", reason="송출중")

    assert tag_of(english) == tag_of(korean)
    assert tag_of(english) != tag_of(Told(name="가을", reason="running"))
