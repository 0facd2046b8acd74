"""The demo's workflows: one that waits for a yes, one that is done, one that failed, and one that takes back."""

from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.platform import auth
from pabal.platform.tenants import Scope
from pabal.platform.workflows.actions import Workflows

SQL = load_sql(__file__)
LOGIN = "demo-haeundae"
NOTICE = """name: store_notice
title: 매장 공지
input:
  text: {type: string, default: 오늘은 8시에 문을 닫습니다}
steps:
  - name: ask
    title: 점장 승인
    kind: platform.approval
    input:
      title: {text: "공지할까요? {input.text}"}
  - name: tell
    title: 공지 보내기
    kind: platform.notify
    input:
      title: {from: input.text}
"""
GREETING = """name: opening
title: 매장 열기
start: {event: store.unlocked}
steps:
  - name: tell
    title: 열림 알림
    kind: platform.notify
    input: {title: 매장을 열었습니다}
  - name: publish
    title: 다른 시스템에 알리기
    kind: platform.publish
    input: {name: store.opened, data: {store: 해운대점}}
"""
DELIVERY = """name: delivery
title: 납품 확인
steps:
  - name: order
    title: 주문 접수
    kind: platform.notify
    input: {title: 주문을 접수했습니다}
  - name: arrive
    title: 납품 대기
    wait: {event: supplier.delivered}
    time_limit: 1s
"""
BOOKING = """name: booking
title: 단체 예약
steps:
  - name: hold
    title: 자리 잡기
    kind: platform.notify
    input: {title: 단체석을 잡았습니다}
    compensate:
      kind: platform.approval
      input: {title: 단체석을 풀까요}
  - name: pay
    title: 결제 대기
    wait: {event: booking.paid}
    time_limit: 1s
    on_error: compensate
"""


async def load(tx: Tx, kinds: StepKinds) -> None:
    [person] = await auth.list_users(tx, Scope(None, None), words=LOGIN)
    house = Workflows(kinds)
    for text in (NOTICE, GREETING, DELIVERY, BOOKING):
        saved = await house.save(tx, person.actor(), text)
        await house.start(tx, person.actor(), saved.id, {})


async def clear(tx: Tx) -> None:
    """Those of the demo's units, a visitor's own among them: runs, questions and all."""
    await tx.run(SQL.delete_demo_questions)
    await tx.run(SQL.delete_demo_workflows)
