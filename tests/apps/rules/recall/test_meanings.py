"""Cases found by what they mean, with PostgreSQL's real extension; and what goes on where it or the model is away."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from pabal.apps.rules.recall import actions, meanings, store
from pabal.apps.rules.recall import settings as own
from pabal.apps.rules.recall.choosing import ChosenEmbedder, NoMeanings, find_usable
from pabal.apps.rules.recall.jobs import FillMeanings, make_recall_kinds
from pabal.apps.rules.recall.model import CaseKind, Meaning, Recalled, Why
from pabal.apps.rules.recall.telling import list_lacks, tell_recall
from pabal.apps.rules.skills.choosing import Tools, make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.base.database import Database
from pabal.base.sql import Statement
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.tenants import visible_to
from pabal.testing import Parts, drain
from tests.support.embedding import EmbeddingServer, serve_embeddings
from tests.support.people import Tree, person
from tests.support.plans import list_indexes

NEWS, SAME, WEATHER = "AI 뉴스 요약해서 보내", "인공지능 소식 정리해 줘", "부산 날씨 궁금"
pytestmark = pytest.mark.req("D-42")


@pytest.fixture
async def serving() -> AsyncIterator[EmbeddingServer]:
    async with serve_embeddings() as serving:
        yield serving


@dataclass
class Memory:
    db: Database
    tree: Tree
    tools: Tools

    async def set(self, setting: settings.Setting[Any], value: Any) -> None:
        async with self.db.transaction() as tx:
            await settings.change(tx, ENGINE, setting, setting.show(value))

    async def teach(self, request: str, unit_id: int | None = None) -> int:
        unit = unit_id or self.tree.haeundae.id
        async with self.db.transaction() as tx:
            return (await actions.teach_case(tx, ENGINE, request=request, answer="=== a.py", unit_id=unit)).id

    async def fill(self) -> None:
        """What a server does by itself."""
        await FillMeanings(self.db, self.tools).run_once()
        await drain(Parts(self.db, make_recall_kinds(self.tools)))

    async def find(self, request: str, actor: Actor | None = None) -> list[Recalled]:
        async with self.db.transaction() as tx:
            scope = await visible_to(tx, actor or person(self.tree.haeundae))
            usable = await find_usable(tx, self.tools)
        meaning = None
        if isinstance(usable, ChosenEmbedder):
            [numbers] = await usable.embedder.embed([request])
            meaning = Meaning(usable.model, numbers)
        async with self.db.transaction() as tx:
            return await actions.find_nearest(tx, scope, request, meaning=meaning)

    async def count(self) -> tuple[int, int]:
        async with self.db.transaction() as tx:
            return await meanings.count(tx)

    async def look(self) -> meanings.Vectors:
        async with self.db.transaction() as tx:
            return await meanings.look(tx)


@pytest.fixture
async def memory(db: Database, tree: Tree) -> Memory:
    """With the stand-in for a model."""
    made = Memory(db, tree, make_tools(SkillsStartup()))
    await made.set(own.EMBEDDING, "offline")
    return made


@pytest.fixture
async def asking(memory: Memory, serving: EmbeddingServer) -> AsyncIterator[Memory]:
    """With a model behind an API."""
    startup = SkillsStartup(networks="127.0.0.0/8", embedding_url=serving.url, embedding_key="k")
    await memory.set(own.EMBEDDING, "api")
    made = replace(memory, tools=make_tools(startup))
    yield made
    await made.tools.close()


async def test_two_requests_of_the_same_meaning_in_different_words_find_each_other(memory: Memory):
    case, far = await memory.teach(NEWS), await memory.teach(WEATHER)
    await memory.fill()

    [found] = await memory.find(SAME)

    assert (found.case.id, found.words, found.why) == (case, (), (Why.MEANING,))
    assert 0.5 <= found.score <= 1
    assert far != case


async def test_by_words_alone_they_do_not(memory: Memory):
    await memory.teach(NEWS)
    await memory.fill()
    await memory.set(own.EMBEDDING, "none")

    assert await memory.find(SAME) == []


async def test_what_both_ways_choose_says_both_and_comes_before_what_one_chooses(memory: Memory):
    both, meant = await memory.teach(NEWS), await memory.teach(SAME)
    await memory.fill()

    found = await memory.find("AI 뉴스 요약해서 보내 줘")

    assert [(one.case.id, one.why) for one in found] == [
        (both, (Why.WORDS, Why.MEANING)),
        (meant, (Why.MEANING,)),
    ]
    assert found[0].score > found[1].score


async def test_a_case_that_has_no_vector_yet_is_found_by_its_words(memory: Memory):
    await memory.teach(SAME)
    await memory.fill()
    late = await memory.teach(NEWS)

    first, *_ = await memory.find(NEWS)
    assert (first.case.id, first.why) == (late, (Why.WORDS,))


async def test_nobody_finds_the_meaning_of_a_case_out_of_sight(memory: Memory):
    await memory.teach(NEWS)
    await memory.fill()

    assert await memory.find(SAME, person(memory.tree.nampo)) == []
    assert len(await memory.find(SAME, person(memory.tree.hq))) == 1


async def test_banned_cases_and_those_of_another_kind_are_not_found_and_pinned_ones_go_first(memory: Memory):
    first, second = await memory.teach(NEWS), await memory.teach("AI 기사 추려서")
    async with memory.db.transaction() as tx:
        plan = {"request": "AI 소식", "answer": "name: x", "kind": CaseKind.PLAN}
        await actions.teach_case(tx, ENGINE, **plan, unit_id=memory.tree.haeundae.id)
        await actions.ban_case(tx, ENGINE, first)
    await memory.fill()
    assert [one.case.id for one in await memory.find(SAME)] == [second]

    async with memory.db.transaction() as tx:
        await actions.reset_case(tx, ENGINE, first)
    best, other = [one.case.id for one in await memory.find(SAME)]
    async with memory.db.transaction() as tx:
        await actions.pin_case(tx, ENGINE, other)

    assert [one.case.id for one in await memory.find(SAME)] == [other, best]


async def test_a_forgotten_case_takes_its_vector_along_in_the_same_commit(memory: Memory):
    case = await memory.teach(NEWS)
    await memory.fill()
    assert await memory.count() == (1, 1)

    async with memory.db.transaction() as tx:
        await actions.forget_case(tx, person(memory.tree.haeundae), case)
        assert await meanings.count(tx) == (0, 0)

    assert await memory.find(SAME) == []


async def test_a_case_forgotten_while_the_model_was_asked_leaves_nothing(asking: Memory):
    kept, gone = await asking.teach(NEWS), await asking.teach(WEATHER)
    await asking.fill()
    async with asking.db.transaction() as tx:
        await actions.forget_case(tx, ENGINE, gone)

    async with asking.db.transaction() as tx:
        await meanings.keep(tx, {gone: (1.0, 0.0, 0.1), kept: (1.0, 0.0, 0.1)})

    assert await asking.count() == (1, 1)


async def test_cases_from_before_there_was_a_model_get_their_vectors_in_parts(asking: Memory, serving: EmbeddingServer):
    await asking.set(own.EMBEDDING, "none")
    for number in range(70):
        await asking.teach(f"뉴스 {number}번")
    await asking.set(own.EMBEDDING, "api")

    await asking.fill()

    assert await asking.count() == (70, 70)
    assert [len(one["input"]) for one in serving.sent] == [32, 32, 6]


async def test_another_model_makes_all_vectors_again_also_with_other_dimensions(
    asking: Memory, serving: EmbeddingServer
):
    case = await asking.teach(NEWS)
    await asking.fill()
    assert ((await asking.look()).model, (await asking.look()).dimensions) == ("api:text-embedding-3-small", 3)
    serving.embed = lambda text: [1.0, 2.0, 3.0, float(len(text))]

    await asking.set(own.EMBEDDING_MODEL, "large")
    assert [one.why for one in await asking.find(NEWS)] == [(Why.WORDS,)]
    await asking.fill()

    assert ((await asking.look()).model, (await asking.look()).dimensions) == ("api:large", 4)
    assert [(one.case.id, one.why) for one in await asking.find(NEWS)] == [(case, (Why.WORDS, Why.MEANING))]
    assert serving.sent[-1]["model"] == "large"


async def test_the_same_model_with_other_dimensions_makes_them_again(asking: Memory, serving: EmbeddingServer):
    await asking.teach(NEWS)
    await asking.fill()
    serving.embed = lambda text: [1.0, 2.0, 3.0, 4.0]
    await asking.teach(WEATHER)

    await asking.fill()
    await asking.fill()

    assert (await asking.look()).dimensions == 4
    assert await asking.count() == (2, 2)


async def test_what_looks_like_a_secret_is_not_sent(asking: Memory, serving: EmbeddingServer):
    secret = "Zx81kQ77pLm0Aa93bV5cR2"
    case = await asking.teach(f"password={secret} 로 뉴스 읽어")
    async with asking.db.transaction() as tx:
        # as a case of an older version, which knew less of how secrets look
        await tx.script(f"update rules.recall_case set request = 'token={secret} 뉴스' where id = {case}")

    await asking.fill()

    assert len(serving.texts) == 1
    assert secret not in serving.texts[0]
    assert "뉴스" in serving.texts[0]


async def test_a_model_that_is_away_is_asked_again_and_words_go_on(asking: Memory, serving: EmbeddingServer):
    case = await asking.teach(NEWS)
    serving.answer = b"HTTP/1.1 503 Away\r\ncontent-length: 0\r\n\r\n"
    await FillMeanings(asking.db, asking.tools).run_once()
    [job] = await _list_jobs(asking.db)

    found = await asking.find(NEWS)

    assert [(one.case.id, one.why) for one in found] == [(case, (Why.WORDS,))]
    async with asking.db.transaction() as tx:
        assert await find_usable(tx, asking.tools) == NoMeanings("not_filled")
    assert job == "rules.recall_embed"


async def test_one_job_at_a_time_fills_for_all_servers(memory: Memory):
    await memory.teach(NEWS)

    for _ in range(3):
        await FillMeanings(memory.db, memory.tools).run_once()

    assert await _list_jobs(memory.db) == ["rules.recall_embed"]


async def test_servers_that_start_together_make_one_extension_and_none_complains(memory: Memory):
    await memory.teach(NEWS)

    await asyncio.gather(*(FillMeanings(memory.db, memory.tools).run_once() for _ in range(4)))

    now = await memory.look()
    assert (now.version is not None, now.made_extension, now.problem) == (True, True, "")


async def test_with_no_model_set_nothing_is_made_and_nothing_is_left(memory: Memory):
    await memory.teach(NEWS)
    await memory.fill()
    assert (await memory.look()).has_table

    await memory.set(own.EMBEDDING, "none")
    await memory.fill()

    now = await memory.look()
    assert (now.has_table, now.version, now.model) == (False, None, "")
    async with memory.db.transaction() as tx:
        assert await tell_recall(tx) is None


async def test_an_extension_that_was_there_before_stays_and_may_lie_in_any_schema(memory: Memory):
    async with memory.db.transaction() as tx:
        await tx.script('create schema "Their things"; create extension vector schema "Their things"')
    await memory.teach(NEWS)
    await memory.fill()
    assert [one.why for one in await memory.find(SAME)] == [(Why.MEANING,)]

    await memory.set(own.EMBEDDING, "none")
    await memory.fill()

    now = await memory.look()
    assert (now.has_table, now.version is not None) == (False, True)


async def test_an_extension_that_others_use_by_now_is_left_to_them(memory: Memory):
    await memory.teach(NEWS)
    await memory.fill()
    async with memory.db.transaction() as tx:
        await tx.script("create table public.theirs (it vector(3))")

    await memory.set(own.EMBEDDING, "none")
    await memory.fill()

    assert ((await memory.look()).has_table, (await memory.look()).version is not None) == (False, True)


async def test_whoever_may_not_create_the_extension_is_told_so_and_recalls_by_words(
    memory: Memory,
):
    """As at most hosts: the user owns the database and is no superuser."""
    case = await memory.teach(NEWS)
    url = await _let_in(memory.db.url)
    plain = await Database.open(url, size=3)
    there = replace(memory, db=plain)
    try:
        await there.fill()

        now = await there.look()
        assert (now.is_available, now.version, now.has_table, now.lack) == (True, None, False, "extension_refused")
        assert "permission denied" in now.problem
        assert [(one.case.id, one.why) for one in await there.find(NEWS)] == [(case, (Why.WORDS,))]
        assert await _list_jobs(plain) == []
        async with plain.transaction() as tx:
            [(route, told)] = (await list_lacks(tx)).items()
        assert route == "rules.recall"
        assert "create extension vector" in told[0]
        assert "create extension vector" in told[1]

        # an administrator of the database does it, and that is all
        async with memory.db.transaction() as tx:
            await tx.script("create extension vector")
        await there.fill()

        assert [one.why for one in await there.find(SAME)] == [(Why.MEANING,)]
    finally:
        await plain.close()
        await _let_out(memory.db.url, url)


async def test_a_database_without_the_extension_is_told_and_nothing_breaks(memory: Memory):
    """Its list of extensions is one that a schema before the catalogue's shows: nobody can uninstall a file here."""
    case = await memory.teach(NEWS)
    async with memory.db.transaction() as tx:
        await tx.script(HIDE)
        assert await meanings.open_extension(tx) is False
        assert await find_usable(tx, memory.tools) == NoMeanings("no_extension")
        [told] = (await list_lacks(tx)).values()
        scope = await visible_to(tx, person(memory.tree.haeundae))
        meaning = Meaning("offline", (1.0,) * 256)
        found = await actions.find_nearest(tx, scope, NEWS, meaning=meaning)

    assert "pgvector" in told[0]
    assert [(one.case.id, one.why) for one in found] == [(case, (Why.WORDS,))]


async def test_a_table_that_another_server_made_again_meanwhile_spoils_nothing(memory: Memory):
    case = await memory.teach(NEWS)
    await memory.fill()

    async with memory.db.transaction() as tx:
        # as after a change of the model that this server has not seen: other dimensions than it asks with
        meaning = Meaning("offline", (1.0, 2.0))
        found = await actions.find_nearest(
            tx, await visible_to(tx, person(memory.tree.haeundae)), NEWS, meaning=meaning
        )
        still = await store.load_cases(tx, [case])

    assert [one.why for one in found] == [(Why.WORDS,)]
    assert len(still) == 1


async def test_the_most_alike_are_found_through_the_index_and_also_behind_many_out_of_sight(memory: Memory):
    """Those out of sight are nearer: an index that stops at its first forty would find nothing."""
    case = await memory.teach(NEWS)
    await memory.fill()
    async with memory.db.transaction() as tx:
        await tx.rows(meanings.SQL.open_vectors)
        await tx.script(MANY.format(unit=memory.tree.nampo.id, asked=case))

        assert "recall_meaning_near" in await list_indexes(tx, meanings.SQL.list_near)

    [found] = await memory.find(SAME)

    assert found.case.id == case


async def test_more_dimensions_than_the_index_takes_are_kept_without_it(asking: Memory, serving: EmbeddingServer):
    serving.embed = lambda text: [1.0] * 3072
    case = await asking.teach(NEWS)

    await asking.fill()

    assert [(one.case.id, one.why) for one in await asking.find("무엇이든")] == [(case, (Why.MEANING,))]


# 2,000 cases that mean exactly what is asked for, of another branch
MANY = """
insert into rules.recall_case (unit_id, request, answer, grams, digest, created_by)
select {unit}, 'r', 'a', array[n], n::text, 'test' from generate_series(1, 2000) n;
insert into rules.recall_meaning (case_id, meaning)
select c.id, m.meaning from rules.recall_case c, rules.recall_meaning m
where c.created_by = 'test' and m.case_id = {asked};
analyze rules.recall_meaning; analyze rules.recall_case;
"""


LIST_JOBS = Statement("list_jobs", "select kind from pabal.work order by id", ())
HIDE = """
create schema without;
create view without.pg_available_extensions as select * from pg_catalog.pg_available_extensions where name <> 'vector';
set local search_path = without, pg_catalog, public;
"""


async def _list_jobs(db: Database) -> list[str]:
    async with db.transaction() as tx:
        return [row["kind"] for row in await tx.rows(LIST_JOBS)]


async def _let_in(url: str) -> str:
    """An address of a user who may do everything in this database that its owner may, and is no superuser."""
    name = f"plain_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(url)
    try:
        await admin.execute(f"create role {name} login password 'plain'")
        database = await admin.fetchval("select quote_ident(current_database())")
        await admin.execute(f"grant all on database {database} to {name}")
        for schema in ("pabal", "rules"):
            await admin.execute(f"grant all on schema {schema} to {name}")
            await admin.execute(f"grant all on all tables in schema {schema} to {name}")
            await admin.execute(f"grant all on all sequences in schema {schema} to {name}")
    finally:
        await admin.close()
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name}:plain@{parts.netloc.rpartition('@')[2]}"))


async def _let_out(url: str, plain: str) -> None:
    """A role belongs to the cluster, and would outlive the database."""
    name = urlsplit(plain).username
    admin = await asyncpg.connect(url)
    try:
        await admin.execute(f"drop owned by {name} cascade")
        await admin.execute(f"drop role {name}")
    finally:
        await admin.close()
