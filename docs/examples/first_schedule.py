from datetime import time

from pabal.base.database import Tx
from pabal.engine import schedules
from pabal.engine.kinds import Job, Kinds
from pabal.engine.recurrence import Daily
from pabal.engine.schedules import NewSchedule
from pabal.platform.slice import Slice

kinds = Kinds()


@kinds.plain("morning.notice")
async def notice(job: Job) -> None:
    print(f"{job.args['room']}: 좋은 아침입니다 ({job.args['fire_at']})")


async def every_morning(tx: Tx) -> None:
    if not await schedules.list_schedules(tx, about="room:부산"):
        await schedules.put(
            tx,
            NewSchedule(
                name="아침 공지",
                kind="morning.notice",
                args={"room": "부산"},
                about="room:부산",
                recurrence=Daily((time(9, 0),)),
                zone="Asia/Seoul",
            ),
        )


SLICE = Slice("morning", kinds=kinds, on_start=every_morning)
