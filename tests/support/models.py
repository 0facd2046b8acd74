"""A language model whose answers a test writes down beforehand; it remembers what it was asked."""

from dataclasses import dataclass, field
from decimal import Decimal

from pabal.apps.rules.skills.llm import Answer, AskLimits


@dataclass
class ScriptedModel:
    answers: list[str]
    prompts: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        self.prompts.append(prompt)
        self.models.append(model)
        text = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return Answer(text, 10, 5, Decimal("0.01"))
