"""However many cases there are, the nearest are found through the index: before the values are known, too."""

from pabal.apps.rules.recall import store
from pabal.base.database import Database
from pabal.base.sql import Statement
from tests.support.people import Tree
from tests.support.plans import list_lookups, list_scanned

MANY = """
insert into rules.recall_case (unit_id, request, answer, grams, digest, created_by)
select (select min(id) from pabal.unit), 'r', 'a', array[n % 5000, n % 777, n % 31], n::text, 'test'
from generate_series(1, 20000) n;
analyze rules.recall_case;
"""


async def test_the_nearest_are_found_through_the_index(db: Database, tree: Tree):
    async with db.transaction() as tx:
        await tx.script(MANY)
        nearest: Statement = store.SQL.list_nearest

        assert "recall_case_grams" in await list_lookups(tx, nearest)
        assert await list_scanned(tx, nearest, {"recall_case"}) == []
