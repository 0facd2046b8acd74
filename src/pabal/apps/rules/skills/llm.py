"""Asking a language model: one seam, four ways. No way has tools, and none knows the server's environment.

What is run is named when the server starts (PABAL_RULES_LLM_COMMAND), never in the console: whoever may change
settings must not thereby run programs.
"""

import asyncio
import importlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from pabal.apps.rules.outside.processes import (
    Ended,
    Finished,
    NotStarted,
    Program,
    TimedOut,
    TooMuchOutput,
    run_program,
)
from pabal.apps.rules.skills.errors import (
    LONGEST_MODEL,
    BadModelCommand,
    ModelNotInstalled,
    ModelNotSignedIn,
    ModelSaidTooMuch,
    ModelTooSlow,
    ModelUnavailable,
    PromptTooLong,
)
from pabal.apps.rules.skills.extracting import pick_sentences

EXTRA = "pabal[llm]"
# a rule of thumb for models that do not say: Korean takes more tokens for a character than English
_BYTES_PER_TOKEN = 3
_MILLION = Decimal(1_000_000)
_CENT_PARTS = Decimal("0.000001")
_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")


@dataclass(frozen=True, slots=True)
class AskLimits:
    seconds: float = 60.0
    longest_prompt: int = 100_000
    most_output: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Price:
    """In US dollars for a million tokens. Nothing: a free quota, or a model of one's own."""

    tokens_in: Decimal = Decimal(0)
    tokens_out: Decimal = Decimal(0)

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        cost = (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION
        return cost.quantize(_CENT_PARTS)


FREE = Price()


@dataclass(frozen=True, slots=True)
class Answer:
    """`is_estimated`: the model did not say how many tokens it took, so they were reckoned from the length."""

    text: str
    tokens_in: int
    tokens_out: int
    cost: Decimal
    is_estimated: bool = False


class Llm(Protocol):
    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer: ...


@dataclass(frozen=True, slots=True)
class OfflineLlm:
    """Answers with the most telling sentences of the prompt: the same ones every time."""

    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        return estimate(prompt, "\n".join(pick_sentences(prompt)), self.price)


@dataclass(frozen=True, slots=True)
class CommandLlm:
    """Any program that reads a prompt on stdin and writes its answer to stdout. `{model}` in a word is the model."""

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        argv = [word.replace("{model}", model) for word in self.argv]
        program = Program(
            argv,
            given=prompt.encode(),
            environment=self.environment,
            seconds=limits.seconds,
            most_output=limits.most_output,
        )
        output = _read_output(await run_program(program))
        text = output.decode("utf-8", "replace").strip()
        if not text:
            raise ModelUnavailable("it said nothing")
        return estimate(prompt, text, self.price)


# Its headless default is not safe: it offers to read files and to search, and does so without asking.
_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True},
    "tools": {"core": []},
    "mcpServers": {},
}
_NO_KEY = 41


@dataclass(frozen=True, slots=True)
class GeminiLlm:
    """Gemini CLI without a person: no tools, an empty folder, a HOME for this one call."""

    program: str = "gemini"
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        chosen = ("-m", model) if model else ()
        program = Program(
            (self.program, "-o", "json", *chosen, "-p", "Answer the text above."),
            given=prompt.encode(),
            environment=self.environment,
            files={".gemini/settings.json": json.dumps(_GEMINI_SETTINGS).encode()},
            seconds=limits.seconds,
            # its figures stand around the answer
            most_output=limits.most_output + 64 * 1024,
        )
        ended = await run_program(program)
        if isinstance(ended, Finished) and ended.code == _NO_KEY:
            raise ModelNotSignedIn
        return read_gemini(_read_output(ended), prompt, limits, self.price)


@dataclass(frozen=True, slots=True)
class ApiLlm:
    """An API by pydantic-ai, which is optional; models are named as it names them, such as `openai:gpt-5-mini`.

    Its keys are variables of the server's environment.
    """

    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        try:
            pydantic_ai = importlib.import_module("pydantic_ai")
            agent = pydantic_ai.Agent(model)
        except ImportError as error:
            raise ModelNotInstalled(f'pip install "{EXTRA}": {error}'[:300]) from error
        except Exception as error:  # a model that is not known, a key that is missing: its errors are of many kinds
            raise ModelUnavailable(f"{type(error).__name__}: {error}"[:200]) from error
        try:
            async with asyncio.timeout(limits.seconds):
                result = await agent.run(prompt)
        except TimeoutError as error:
            raise ModelTooSlow(f"{limits.seconds:g} s") from error
        except Exception as error:  # as above, of every provider
            raise ModelUnavailable(f"{type(error).__name__}: {error}"[:200]) from error
        text = str(result.output).strip()
        if len(text.encode()) > limits.most_output:
            raise ModelSaidTooMuch(str(limits.most_output))
        # a method in its first versions, a property since
        used = result.usage if hasattr(result.usage, "input_tokens") else result.usage()
        return Answer(text, used.input_tokens, used.output_tokens, self.price.of(used.input_tokens, used.output_tokens))


def read_command(text: str) -> tuple[str, ...]:
    """What PABAL_RULES_LLM_COMMAND says."""
    try:
        words = json.loads(text)
    except ValueError as error:
        raise BadModelCommand from error
    if not isinstance(words, list) or not words or not all(isinstance(one, str) and one for one in words):
        raise BadModelCommand
    return tuple(words)


def is_model_name(text: str) -> bool:
    """Also empty. It becomes a word of a command line, and an operator's command may hand it to a shell."""
    return not text or (len(text) <= LONGEST_MODEL and _MODEL_NAME.fullmatch(text) is not None)


def check_prompt(prompt: str, limits: AskLimits) -> None:
    if len(prompt) > limits.longest_prompt:
        raise PromptTooLong(f"{len(prompt)} > {limits.longest_prompt}")


def estimate(prompt: str, text: str, price: Price) -> Answer:
    asked, answered = (-(-len(one.encode()) // _BYTES_PER_TOKEN) for one in (prompt, text))
    return Answer(text, asked, answered, price.of(asked, answered), is_estimated=True)


def read_gemini(output: bytes, prompt: str, limits: AskLimits, price: Price) -> Answer:
    try:
        said = json.loads(output)
        text = said["response"].strip()
        tokens = [one["tokens"] for one in said["stats"]["models"].values()]
        asked = sum(int(one["prompt"]) for one in tokens)
        # what it thought is paid for as well
        answered = sum(int(one["candidates"]) + int(one.get("thoughts", 0)) for one in tokens)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ModelUnavailable(f"unreadable answer: {type(error).__name__}") from error
    if not text:
        raise ModelUnavailable("it said nothing")
    if len(text.encode()) > limits.most_output:
        raise ModelSaidTooMuch(str(limits.most_output))
    return Answer(text, asked, answered, price.of(asked, answered)) if tokens else estimate(prompt, text, price)


def _read_output(ended: Ended) -> bytes:
    match ended:
        case Finished(code=0, output=output):
            return output
        case TimedOut(seconds=seconds):
            raise ModelTooSlow(f"{seconds:g} s")
        case TooMuchOutput(most=most):
            raise ModelSaidTooMuch(str(most))
        case NotStarted(reason=reason):
            raise ModelNotInstalled(reason)
        case Finished(code=code, errors=errors):
            raise ModelUnavailable(f"ended with {code}: {_show_errors(errors)}".removesuffix(": "))


_MESSAGE = re.compile(r'"message":\s*"((?:[^"\\]|\\.){1,300})')


def _show_errors(errors: bytes) -> str:
    """The message of an error in JSON, wherever it begins; or else the last line."""
    text = errors.decode("utf-8", "replace")
    found = _MESSAGE.search(text)
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    return (found[1] if found else last.strip())[:300]


def as_json(answer: Answer) -> dict[str, Any]:
    """As a run keeps it."""
    return {
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "cost": str(answer.cost),
        "is_estimated": answer.is_estimated,
    }
