import asyncio
from tests.engine.workflows.test_runs import *
from pabal.base.sql import Statement
async def test_dbg(house, works, db):
    run = await house.start(flow("name: other, wait: {workflow: a}"))
    await asyncio.sleep(4)
    async with db.transaction() as tx:
        for q in ("select id,state,opened,ended,ending,depth,parent_id from pabal.workflow_run order by id","select run_id,step,item,state,job,signal,error from pabal.workflow_step order by run_id","select * from pabal.workflow_wait","select id,kind,args from pabal.work order by id","select id,result,final,error from pabal.outcome order by id","select * from pabal.ready","select id,worker from pabal.lease"):
            print(q)
            for r in await tx._connection.fetch(q): print("   ",dict(r))
    assert 0
