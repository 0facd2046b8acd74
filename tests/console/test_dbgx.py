from tests.console.firing import *
from tests.console.firing import _pass
from tests.support.web import web, web_settings
async def test_x(web):
    db=web.db
    rule=find(STUCK)
    async def read(tx): return [Reading(900.0,"q",None)]
    dial = replace(rule, measure=Measure(rule.measure.name, rule.measure.label, read, rule.measure.unit))
    for _ in range(12):
        await clock.advance(db, EVERY)
        n=await alerts.sample_once(db, [dial.measure]); e=await alerts.evaluate_once(db, [dial], alerts.tell_people)
        print(n,e)
    async with db.transaction() as tx:
        for r in await tx.rows(__import__("pabal.base.sql",fromlist=["x"]).load if False else alerts.store.SQL.list_stretches, measures=["work.oldest_ready"], spans=[timedelta(minutes=10)], now=tx.now): print(dict(r))
