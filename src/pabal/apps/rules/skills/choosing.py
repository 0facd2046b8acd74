"""Which model and which search the settings name now, and whether there is a call left today. For a job's prepare."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from pabal.apps.rules.outside.fetching import Fetcher
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.errors import BadModelCommand
from pabal.apps.rules.skills.llm import ApiLlm, CommandLlm, GeminiLlm, Llm, OfflineLlm, Price, read_command
from pabal.apps.rules.skills.search import FeedSearch, OfflineSearch, Search
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.skills.summarise import Summarising
from pabal.apps.rules.sources.registry import Sources, make_sources
from pabal.base.database import Tx
from pabal.base.settings import parse_networks, read_app_settings
from pabal.engine import limits
from pabal.engine.kinds import Job
from pabal.engine.limits import Limit, Window
from pabal.engine.loop import Loop
from pabal.engine.outcome import Limited
from pabal.platform import settings
from pabal.platform.services import Services

KEPT_AS = "rules.tools"
CALLS = "rules:llm"
CALL_WINDOW = "llm_calls_a_day"
_DAY = timedelta(days=1)


class Role(StrEnum):
    """What a model is asked for: a rule's text, seldom; or a rule's run, often."""

    GENERATING = "generating"
    RUNNING = "running"


_MODELS = {Role.GENERATING: own.GENERATING_MODEL, Role.RUNNING: own.RUNNING_MODEL}
_PRICES = {Role.GENERATING: own.GENERATING_PRICE, Role.RUNNING: own.RUNNING_PRICE}


@dataclass(frozen=True)
class Tools:
    """One for a process: its connections to the outside, and what the environment said when it started."""

    startup: SkillsStartup
    fetcher: Fetcher
    sources: Sources = field(repr=False)

    async def close(self) -> None:
        await self.fetcher.close()


@dataclass(frozen=True, slots=True)
class ChosenModel:
    llm: Llm
    model: str


def tools_of(services: Services) -> Tools:
    found = services.kept.get(KEPT_AS)
    if isinstance(found, Tools):
        return found
    made = make_tools(read_app_settings(SkillsStartup))
    services.kept[KEPT_AS] = made
    return made


class ToolsAtWork:
    """The tools as the server sees them: its connections are closed when nothing runs any more."""

    def __init__(self, services: Services) -> None:
        self.loops: list[Loop] = []
        self._services = services

    async def start(self) -> None:
        """They open what they need when it is first asked for."""

    def refuse_new(self) -> None:
        """Runs that go on may still ask."""

    async def close(self) -> None:
        await tools_of(self._services).close()


def make_tools(startup: SkillsStartup) -> Tools:
    fetcher = Fetcher(parse_networks(startup.networks))
    return Tools(startup, fetcher, make_sources(fetcher, startup.sources))


async def choose_model(tx: Tx, tools: Tools, role: Role) -> ChosenModel:
    """By the settings as they are in this transaction."""
    price_in, price_out = [await settings.value(tx, one) for one in _PRICES[role]]
    price = Price(Decimal(str(price_in)), Decimal(str(price_out)))
    way = await settings.value(tx, own.LLM)
    return ChosenModel(_make_llm(way, tools.startup, price), await settings.value(tx, _MODELS[role]))


async def choose_search(tx: Tx, tools: Tools) -> Search:
    return OfflineSearch() if await settings.value(tx, own.SEARCH) == "offline" else FeedSearch(tools.fetcher)


async def open_summarising(tx: Tx, tools: Tools) -> Summarising:
    """In `prepare`; its `run` belongs into `perform`."""
    chosen = await choose_model(tx, tools, Role.RUNNING)
    return Summarising(await choose_search(tx, tools), chosen.llm, chosen.model)


async def take_call(tx: Tx, job: Job) -> Limited | None:
    """One of today's calls of a model, or when there will be one: return it as the outcome of `prepare`."""
    most = await settings.value(tx, own.CALLS_PER_DAY)
    return await limits.take(tx, job, [Limit(CALLS, (Window(CALL_WINDOW, most, _DAY),))])


def _make_llm(way: str, startup: SkillsStartup, price: Price) -> Llm:
    match way:
        case "gemini":
            return GeminiLlm(environment=startup.read_environment(), price=price)
        case "command":
            if not startup.llm_command:
                raise BadModelCommand
            return CommandLlm(read_command(startup.llm_command), startup.read_environment(), price)
        case "api":
            return ApiLlm(price)
        case _:
            return OfflineLlm(price)
