"""The real pydantic-ai, with the model it has for tests: no API, but our use of it. Importing it takes a second."""

from decimal import Decimal

import pytest

from pabal.apps.rules.skills.errors import ModelSaidTooMuch, ModelUnavailable
from pabal.apps.rules.skills.llm import ApiLlm, AskLimits, Price

pytestmark = pytest.mark.slow


async def test_an_api_answers_with_what_it_took():
    answer = await ApiLlm(Price(Decimal(1), Decimal(1))).ask("Summarise this text.", model="test", limits=AskLimits())

    assert answer.text == "success (no tool calls)"
    assert answer.tokens_in > 0
    assert answer.tokens_out > 0
    assert answer.cost == Decimal(answer.tokens_in + answer.tokens_out) / 1_000_000
    assert not answer.is_estimated


async def test_an_api_that_says_too_much_is_not_kept():
    with pytest.raises(ModelSaidTooMuch):
        await ApiLlm().ask("x", model="test", limits=AskLimits(most_output=5))


@pytest.mark.parametrize("model", ["no-such-provider:model", "nonsense"])
async def test_a_model_that_nobody_knows_says_so(model: str):
    with pytest.raises(ModelUnavailable):
        await ApiLlm().ask("x", model=model, limits=AskLimits())
