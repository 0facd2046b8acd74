"""What a workflow may do with the skills: search articles, summarise them, write a report.

Each step asks for its work in the commit that begins to wait for it; the job's end is the signal (`step_jobs`).
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field

from pabal.apps.rules.model.rules import AREA
from pabal.base.database import Tx
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed
from pabal.platform.actor import Actor, Right
from pabal.platform.language.pairs import Pair
from pabal.platform.workflows import Destination, SliceStep

STEP = "rules.step"
SEARCH, SUMMARISE, REPORT = "rules.search", "rules.summarise", "rules.report"
# one attempt; a model may think for a while
DEADLINE = timedelta(minutes=5)
ATTEMPTS = 3
MOST_ARTICLES = 20
Out = TypeVar("Out", bound=BaseModel)


class FoundArticle(BaseModel):
    title: str = Field(max_length=500)
    link: str = Field(default="", max_length=2000)
    text: str = Field(default="", max_length=2000)


class SearchInput(BaseModel):
    """Without `feeds`, those of the settings."""

    topic: str = Field(min_length=1, max_length=200)
    days: int = Field(default=7, ge=1, le=31)
    most: int = Field(default=10, ge=1, le=MOST_ARTICLES)
    feeds: list[Annotated[str, Destination]] = Field(default_factory=list, max_length=20)


class SearchOutput(BaseModel):
    count: int
    articles: list[FoundArticle]


class SummariseInput(BaseModel):
    topic: str = Field(min_length=1, max_length=200)
    articles: list[FoundArticle] = Field(max_length=MOST_ARTICLES)
    language: Literal["ko", "en"] = "ko"


class SummariseOutput(BaseModel):
    text: str
    count: int
    tokens: int
    cost: str


class ReportInput(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(max_length=50_000)
    articles: list[FoundArticle] = Field(default_factory=list, max_length=MOST_ARTICLES)


class ReportOutput(BaseModel):
    """`link` is where people and programs get the file, behind this server's address."""

    file: str
    name: str
    link: str
    size: int


def signal_of(key: str) -> str:
    return f"rules_step:{key}"


def _declare(
    name: str, title: Pair, given: type[BaseModel], gives: type[BaseModel], effects: tuple[Effect, ...]
) -> SliceStep:
    async def ask(tx: Tx, actor: Actor, wanted: BaseModel, call: StepCall) -> AwaitSignal:
        args = {"step": name, "key": call.key, "run": call.run_id, "input": wanted.model_dump(mode="json")}
        job = NewJob(
            STEP,
            args,
            key=call.key,
            about=f"workflow_run:{call.run_id}",
            unit_id=call.unit_id,
            deadline=DEADLINE,
            max_failures=ATTEMPTS,
        )
        await queue.enqueue(tx, job)
        return AwaitSignal(signal_of(call.key))

    def read(call: StepCall, data: Mapping[str, Any]) -> BaseModel | StepFailed:
        if "error" in data:
            return StepFailed(str(data["error"]), str(data["code"]), is_final=True)
        return gives.model_validate(data["output"])

    return SliceStep(
        name=name,
        version=1,
        title=title,
        input=given,
        output=gives,
        area=AREA,
        right=Right.WRITE,
        run=ask,
        effects=effects,
        on_signal=read,
    )


STEPS = (
    _declare(
        SEARCH,
        ("Search news articles", "뉴스 기사 찾기"),
        SearchInput,
        SearchOutput,
        (Effect.NETWORK, Effect.READS_OUTSIDE),
    ),
    _declare(
        SUMMARISE,
        ("Summarise articles with a language model", "언어 모델로 기사 요약"),
        SummariseInput,
        SummariseOutput,
        # what a model says of texts from outside was written by those who wrote them
        (Effect.NETWORK, Effect.MONEY, Effect.READS_OUTSIDE),
    ),
    _declare(REPORT, ("Write a report file", "보고서 파일 만들기"), ReportInput, ReportOutput, (Effect.FILES,)),
)
