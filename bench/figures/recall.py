"""The nearest five of 100,000 remembered requests: how long it takes, and whether the one that was meant is there."""

import itertools
import random
import time
from dataclasses import asdict, dataclass
from typing import Any

from bench.ground import Ground
from bench.result import Measured, Target, percentile
from pabal.apps.rules.recall import actions
from pabal.apps.rules.recall.model import list_grams
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.platform import tenants
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.tenants import Scope

SQL = load(__file__)
TARGETS = (Target("p99_ms", at_most=50), Target("found", at_least=95))
SEED = 7
FEW_WORDS, KEPT_WORDS = 3, 2 / 3
# one word of each line makes a request: when, where, of what, which kind, what is done, what comes of it
WORDS = (
    "오늘 어제 그제 이번주 지난주 지지난주 이번달 지난달 분기 상반기 하반기 올해 작년 주말 월요일 "
    "금요일 아침 저녁 밤 새벽",
    "국내 해외 미국 일본 중국 유럽 신생 상장 대형 중소 강남 부산 제주 대전 광주",
    "반도체 전기차 배터리 로봇 우주 바이오 게임 은행 부동산 항공 조선 철강 유통 식품 패션 여행 영화 음악 축구 야구",
    "뉴스 기사 논문 블로그 보도자료 공시 리뷰 댓글 시세 실적 채용공고 영상",
    "요약해서 번역해서 모아서 비교해서 정리해서 분석해서 골라서 추려서 읽고 검토해서 확인하고 세어서 "
    "순위매겨서 묶어서 필터해서",
    "보고서 표 목록 메모 메일 그래프 슬라이드 카드뉴스 일정 할일 알림 문서",
)
ENDS = ("보내줘", "만들어줘", "올려줘", "저장해줘", "공유해줘", "알려줘")
FAMILY, GIVEN = "김이박최정강조윤장임한오서신권황안송전홍", "민서지우하윤도현수아준영채원소율시온"


@dataclass(frozen=True)
class Sizes:
    cases: int = 100_000
    asked: int = 500
    judged: int = 100


SMALL = Sizes(cases=300, asked=10, judged=5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    chance = random.Random(SEED)
    requests = make_requests(chance, sizes.cases)
    async with ground.filled(lambda url: _fill(url, requests)) as url:
        database = await Database.open(url, size=1)
        try:
            rounds = [await _ask(database, chance, requests) for _ in range(sizes.asked)]
        finally:
            await database.close()
    judged = rounds[: sizes.judged]
    fields = {
        "p99_ms": percentile([one["ms"] for one in rounds], 0.99),
        "p50_ms": percentile([one["ms"] for one in rounds], 0.5),
        "found": 100.0 * sum(one["found"] for one in judged) / len(judged),
        "first": 100.0 * sum(one["first"] for one in judged) / len(judged),
    }
    notes = (
        "Requests are eight Korean words each; a third of them is left out and the rest is put in another order. "
        "The time is that of one recall: reading how rare pairs are, choosing and weighing candidates, loading them.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


def make_requests(chance: random.Random, count: int) -> list[str]:
    """All different. A topic stands in one of three hundred, a name in one of six thousand."""
    names = [f"{first}{''.join(rest)}" for first in FAMILY for rest in itertools.permutations(GIVEN, 2)]
    lines = [line.split() for line in WORDS]
    made: dict[str, None] = {}
    while len(made) < count:
        words = [*(chance.choice(line) for line in lines), f"{chance.choice(names)}에게", chance.choice(ENDS)]
        made[" ".join(words)] = None
    return list(made)


def shorten(chance: random.Random, request: str) -> str:
    """As somebody asks again who remembers the thing, not the words."""
    words = request.split()
    kept = chance.sample(words, max(FEW_WORDS, round(len(words) * KEPT_WORDS)))
    return " ".join(kept)


async def _ask(database: Database, chance: random.Random, requests: list[str]) -> dict[str, Any]:
    place = chance.randrange(len(requests))
    asked = shorten(chance, requests[place])
    began = time.perf_counter()
    async with database.transaction() as tx:
        found = await actions.find_nearest(tx, Scope(None, None), asked)
    took = (time.perf_counter() - began) * 1000
    texts = [one.case.request for one in found]
    return {"ms": took, "found": requests[place] in texts, "first": texts[:1] == [requests[place]]}


async def _fill(url: str, requests: list[str]) -> None:
    database = await Database.open(url, size=1)
    await migrate(database, list_migrations(load_slices(["pabal.apps.rules"])))
    async with database.transaction() as tx:
        unit = await tenants.ensure_hq(tx)
        rows = (
            (unit.id, text, "=== bench.py", list_grams(text), str(number), "bench")
            for number, text in enumerate(requests)
        )
        columns = ("unit_id", "request", "answer", "grams", "digest", "created_by")
        await tx.copy("rules.recall_case", columns, rows)
        await tx.run(SQL.count_all)
    await database.close()
