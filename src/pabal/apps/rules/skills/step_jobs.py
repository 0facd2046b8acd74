"""rules.step: the work behind a step of the skills. Asks the outside with no transaction open; its end is a signal."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.settings import KEEP_ARTIFACTS
from pabal.apps.rules.skills import settings as own
from pabal.apps.rules.skills.choosing import Role, Tools, choose_model, choose_search, take_call
from pabal.apps.rules.skills.errors import PromptTooLong
from pabal.apps.rules.skills.feeds import Article
from pabal.apps.rules.skills.llm import AskLimits
from pabal.apps.rules.skills.search import OfflineSearch, Query
from pabal.apps.rules.skills.steps import (
    SEARCH,
    STEP,
    SUMMARISE,
    FoundArticle,
    ReportInput,
    ReportOutput,
    SearchInput,
    SearchOutput,
    SummariseInput,
    SummariseOutput,
    signal_of,
)
from pabal.apps.rules.skills.summarise import NOTHING_FOUND, make_prompt
from pabal.base.database import Database, Tx
from pabal.base.errors import PabalError
from pabal.base.settings import split_list
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Fail, Outcome, Retry
from pabal.engine.workflows import signals
from pabal.platform import settings, storage, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.language.pairs import put
from pabal.platform.storage import Files, Upload

LIMITS = AskLimits()
# with a link behind it, it must fit into a notice
LONGEST_SUMMARY = 2500
LARGEST_REPORT = 1024 * 1024
GIVEN_UP = "step_given_up"
Work = Callable[[], Awaitable[BaseModel]]


@dataclass(frozen=True, slots=True)
class StepToPerform:
    job: Job
    work: Work


class SkillStep:
    def __init__(self, tools: Tools, database: Database, files: Files) -> None:
        self._tools, self._database, self._files = tools, database, files

    async def prepare(self, tx: Tx, job: Job) -> StepToPerform | Outcome:
        given = job.args["input"]
        match job.args["step"]:
            case step if step == SEARCH:
                return StepToPerform(job, await self._search(tx, job, SearchInput.model_validate(given)))
            case step if step == SUMMARISE:
                wanted = SummariseInput.model_validate(given)
                limited = await take_call(tx, job) if wanted.articles else None
                return limited or StepToPerform(job, await self._summarise(tx, wanted))
            case _:
                return StepToPerform(job, await self._report(tx, job, ReportInput.model_validate(given)))

    async def perform(self, job: Job, prepared: StepToPerform) -> BaseModel | PabalError:
        try:
            return await prepared.work()
        except PabalError as error:
            return error

    async def record(self, tx: Tx, prepared: StepToPerform, result: BaseModel | PabalError) -> Outcome:
        job = prepared.job
        if isinstance(result, PabalError):
            if job.attempt < job.max_failures and not isinstance(result, PromptTooLong):
                return Retry(str(result)[:200])
            await _signal(tx, job, {"error": str(result)[:500], "code": result.code})
            return Fail(str(result)[:200])
        await _signal(tx, job, {"output": result.model_dump(mode="json")})
        return DONE

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Also after a Fail of its own: then nobody waits for the signal any more."""
        await _signal(tx, job, {"error": f"the work was given up: {reason}"[:500], "code": GIVEN_UP})

    async def _search(self, tx: Tx, job: Job, given: SearchInput) -> Work:
        """A demo's articles are made up: it reads nothing of strangers."""
        is_demo = job.unit_id is not None and (await tenants.get_unit(tx, job.unit_id)).is_demo
        search, moment = OfflineSearch() if is_demo else await choose_search(tx, self._tools), tx.now
        feeds = tuple(given.feeds) or tuple(split_list(await settings.value(tx, own.FEEDS)))
        query = Query(given.topic, feeds, timedelta(days=given.days), given.most)

        async def work() -> SearchOutput:
            found = await search.find(query, moment=moment)
            articles = [_shorten(one) for one in found.articles]
            return SearchOutput(count=len(articles), articles=articles)

        return work

    async def _summarise(self, tx: Tx, given: SummariseInput) -> Work:
        chosen = await choose_model(tx, self._tools, Role.RUNNING)

        async def work() -> SummariseOutput:
            if not given.articles:
                text = put(given.language, NOTHING_FOUND, topic=given.topic)
                return SummariseOutput(text=text, count=0, tokens=0, cost="0")
            articles = [Article(one.title, one.link, one.text, None) for one in given.articles]
            prompt = make_prompt(given.topic, articles, given.language)[: LIMITS.longest_prompt]
            answer = await chosen.llm.ask(prompt, model=chosen.model, limits=LIMITS)
            tokens = answer.tokens_in + answer.tokens_out
            text = answer.text[:LONGEST_SUMMARY]
            return SummariseOutput(text=text, count=len(articles), tokens=tokens, cost=str(answer.cost))

        return work

    async def _report(self, tx: Tx, job: Job, given: ReportInput) -> Work:
        """Kept as long as files of runs are."""
        now, name, text = tx.now, name_report(given, tx.now), write_report(given, tx.now)
        until = now + await settings.value(tx, KEEP_ARTIFACTS)

        async def work() -> ReportOutput:
            upload = Upload(_chunks(text), name, unit_id=job.unit_id, area=AREA, keep_until=until)
            file = await storage.accept_file(self._database, self._files, ENGINE, upload, max_bytes=LARGEST_REPORT)
            link = f"/api/v1/files/{file.shown_id}/content"
            return ReportOutput(file=file.shown_id, name=file.name, link=link, size=file.size)

        return work


def write_report(given: ReportInput, now: datetime) -> str:
    """Markdown. Of what was read outside only titles and addresses stand in it, as plain text."""
    lines = [f"# {_plain(given.title)}", "", f"{now:%Y-%m-%d}", "", given.text.strip(), ""]
    if given.articles:
        lines += [
            "## 출처 · Sources",
            "",
            *(f"- {_plain(one.title)} <{_plain(one.link)}>" for one in given.articles),
            "",
        ]
    return "\n".join(lines)


def name_report(given: ReportInput, now: datetime) -> str:
    kept = "".join(one if one.isalnum() else "-" for one in given.title)
    return f"{now:%Y%m%d}-{'-'.join(filter(None, kept.split('-')))[:60] or 'report'}.md"


def make_step_kinds(tools: Tools, database: Database, files: Files) -> Kinds:
    kinds = Kinds()
    kinds.steps(STEP, SkillStep(tools, database, files))
    return kinds


async def _signal(tx: Tx, job: Job, data: dict[str, Any]) -> None:
    await signals.send(tx, signal_of(job.args["key"]), data)


def _shorten(one: Article) -> FoundArticle:
    # together they must fit into a signal
    return FoundArticle(title=one.title[:200], link=one.link[:500], text=one.text[:400])


def _plain(text: str) -> str:
    return " ".join(text.split())


async def _chunks(text: str) -> AsyncIterator[bytes]:
    yield text.encode()
