"""The planner without a language model, for the demo, for tests, and where nothing may leave the house."""

import hashlib
from dataclasses import dataclass

from pabal.apps.rules.planner.drafting import show_files
from pabal.apps.rules.skills.extracting import FRAME
from pabal.apps.rules.skills.llm import FREE, Answer, AskLimits, Price, check_prompt, estimate

_SCRIPT = '''\
"""{request}"""

from pabal_rules import rule

REQUEST = {literal}


@rule("drafts/{name}")
async def {name}(payload, context):
    text = payload.get("text", REQUEST)
    context.log("was asked:", REQUEST)
    context.notify(text)
    return {{"message": text}}
'''
_TEST = '''\
"""Run with the Python that has Pabal: python -m pytest"""

import asyncio
import sys
from pathlib import Path

from pabal_rules.testing import LocalContext

sys.path.insert(0, str(Path(__file__).parents[1]))

from drafts.{name} import {name}  # noqa: E402 -- the path comes first


def test_it_tells_what_it_is_given():
    context = LocalContext()

    asyncio.run({name}({{"text": "hello"}}, context))

    assert [sent["text"] for sent in context.sent] == ["hello"]
'''


@dataclass(frozen=True, slots=True)
class OfflineDrafter:
    """A frame to fill in: a script that tells people what it was asked for, and its test. The same one every time."""

    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        request = read_framed(prompt)
        name = f"draft_{hashlib.sha256(request.encode()).hexdigest()[:8]}"
        told = " ".join(request.split()).replace("\\", "/").replace('"', "'")[:80]
        files = {
            f"drafts/{name}.py": _SCRIPT.format(request=told, literal=repr(request), name=name),
            f"tests/test_{name}.py": _TEST.format(name=name),
        }
        return estimate(prompt, show_files(files), self.price)


def read_framed(prompt: str) -> str:
    """What somebody asked for: between the first two lines of the frame."""
    return prompt.split(f"\n{FRAME}\n")[1].strip()
