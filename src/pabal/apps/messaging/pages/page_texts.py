"""What the pages of messaging share: their area, how long a list is, the model's sentences for a person."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.reasons import Sentence
from pabal.platform.web.visit import Visit

AREA = "messaging"
PAGE = 50


def tell(visit: Visit, sentences: Sequence[Sentence]) -> str:
    """In the visitor's language and zone."""
    return " ".join(_tell(visit, one) for one in sentences)


def _tell(visit: Visit, sentence: Sentence) -> str:
    return visit.say(*sentence.pair, **{name: _show(visit, value) for name, value in sentence.values.items()})


def _show(visit: Visit, value: Any) -> Any:
    if isinstance(value, datetime):
        return visit.voice.moment(value, seconds=True)
    return visit.say(*value) if isinstance(value, tuple) else value if value is not None else "–"
