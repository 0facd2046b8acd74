"""Every code of this room has its words in both languages."""

from pabal.apps.adgroups import labels
from pabal.apps.adgroups.legacy.model import Cause, Mark, Outcome, Refusal, RunState
from pabal.apps.adgroups.model.adgroups import Source


def test_no_code_is_without_words():
    tables = [
        (labels.CAUSES, Cause),
        (labels.MARKS, Mark),
        (labels.REFUSALS, Refusal),
        (labels.RUN_STATES, RunState),
        (labels.OUTCOMES, Outcome),
        (labels.SOURCES, Source),
    ]

    for table, codes in tables:
        assert set(table) == set(codes)
        assert all(english and korean for english, korean in table.values())
