"""rules.recall_embed: asks a model of meanings for cases that have no vector yet, some at a time, until all have."""

from dataclasses import dataclass

from pabal.apps.rules.recall import meanings
from pabal.apps.rules.recall.choosing import ChosenEmbedder, choose_embedder
from pabal.apps.rules.recall.embedding import AT_ONCE, Vector
from pabal.apps.rules.recall.meanings import CaseText
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.apps.rules.skills.choosing import Tools
from pabal.base.database import Database, Tx
from pabal.base.errors import PabalError
from pabal.engine import queue
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Outcome, Retry, Snooze
from pabal.engine.queue import NewJob

EMBED = "rules.recall_embed"
# an API that is away for an afternoon; after that the loop begins again
ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class CasesToEmbed:
    chosen: ChosenEmbedder
    cases: list[CaseText]


class EmbedCases:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def prepare(self, tx: Tx, job: Job) -> CasesToEmbed | Outcome:
        chosen = await choose_embedder(tx, self._tools)
        if not isinstance(chosen, ChosenEmbedder) or not await meanings.open_extension(tx):
            return Cancel("cases are not found by meaning any more")
        cases = await meanings.list_lacking(tx, chosen.model, AT_ONCE)
        return CasesToEmbed(chosen, cases) if cases else DONE

    async def perform(self, job: Job, prepared: CasesToEmbed) -> list[Vector] | PabalError:
        """Cases are kept without secrets; what looked like none when they were taught is looked at once more."""
        try:
            return await prepared.chosen.embedder.embed([scrub(one.request) for one in prepared.cases])
        except PabalError as error:
            return error

    async def record(self, tx: Tx, prepared: CasesToEmbed, result: list[Vector] | PabalError) -> Outcome:
        if isinstance(result, PabalError):
            return Retry(str(result)[:200])
        now, model, dimensions = await meanings.look(tx), prepared.chosen.model, len(result[0])
        if now.version is None:
            return Cancel("the extension is gone")
        if not now.holds(model) or now.dimensions != dimensions:
            await meanings.make_table(tx, model, dimensions)
        await meanings.keep(tx, {one.id: vector for one, vector in zip(prepared.cases, result, strict=True)})
        return Snooze(tx.now, "the next cases") if len(prepared.cases) == AT_ONCE else DONE

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Nothing to end: cases without a vector are found by their words, and the loop asks again."""


class FillMeanings:
    """On each server; one job at a time for all. New cases, those from before there was a model, and all of them once
    it is another one are the same to it: they lack a vector."""

    def __init__(self, database: Database, tools: Tools) -> None:
        self._database, self._tools = database, tools

    async def run_once(self) -> int:
        async with self._database.transaction() as tx:
            chosen = await choose_embedder(tx, self._tools)
            if chosen is None:
                await meanings.remove(tx)
                return 0
            if not isinstance(chosen, ChosenEmbedder) or not await meanings.open_extension(tx):
                return 0
            if not await meanings.list_lacking(tx, chosen.model, 1):
                return 0
            await queue.enqueue(tx, NewJob(EMBED, {}, key=EMBED, about=EMBED, max_failures=ATTEMPTS))
        return 0


def make_recall_kinds(tools: Tools) -> Kinds:
    kinds = Kinds()
    kinds.steps(EMBED, EmbedCases(tools))
    return kinds
