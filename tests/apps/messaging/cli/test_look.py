import pytest
from pathlib import Path
from PIL import Image
from tests.apps.messaging.history import add_deliveries, add_parts, add_server, ended
from tests.support.messaging import add_schedule, World
from datetime import timedelta

async def test_look(run, world: World, tmp_path: Path, db):
    for n in "ab":
        Image.new("RGB", (8, 6), (ord(n), 80, 160)).save(tmp_path / f"{n}.jpg")
    (tmp_path / "공지.txt").write_text("오늘 공지입니다\n둘째 줄\n", encoding="utf-8")
    sid = await add_schedule(world)
    async with db.transaction() as tx: now = tx.now
    ids_ = await add_deliveries(db, sid, [ended("sent", now - timedelta(hours=1)), ended("missed", now - timedelta(minutes=20), reason="bot_offline")])
    await add_parts(db, ids_[0], "written", "written"); await add_parts(db, ids_[1], "planned", "planned")
    await add_server(db)
    new = ["msg","schedule","new","--room","해운대 손님방","--text",f"@{tmp_path}/공지.txt","--images1",str(tmp_path/"a.jpg"),str(tmp_path/"b.jpg"),"--daily","09:00","--until","2027-12-31"]
    async def go(*a, **k):
        r = await run(*a, **k)
        print("$ pabal", *a); print("  code", r.code); print(r.out); print("--err--"); print(r.err)
    for lang in ("ko","en"):
        L=("--lang",lang)
        await go(*new,"--dry-run",*L)
    await go(*new,"--dry-run","-o","json")
    await go(*new,"--lang","ko")
    await go("msg","schedule","new","--room","해운대 손님방","--daily","25:00","--lang","ko")
    await go("msg","schedule","new","--room","해운대 손님방","--daily","09:00","--lang","ko")
    await go("msg","schedule","list","--lang","ko")
    await go("msg","schedule","list","-o","plain")
    await go("msg","schedule","show","아침 인사")
    await go("msg","preview","오늘 공지입니다","--lang","ko")
    await go("msg","preview","오늘 공지입니다","--lang","en")
    await go("msg","limits","해운대 손님방","--lang","ko")
    await go("msg","room","limits","해운대 손님방","--min-gap","60","--sends-per-day","default")
    await go("msg","room","list","--lang","ko")
    await go("msg","bot","list","--lang","ko")
    await go("msg","bot","show","busan1","--lang","ko")
    await go("msg","bot","revoke","busan1","--lang","ko")
    await go("msg","bot","revoke","busan1","--lang","ko")
    await go("msg","delivery","list","--lang","ko")
    await go("msg","delivery","list","--open","--lang","ko")
    await go("msg","load","--lang","ko")
    await go("msg","report","--lang","ko")
    await go("msg","report","--by","room","--lang","ko")
    await go("msg","report","--by","reason","--lang","ko")
    await go("msg","schedule","send-now","아침 인사","--lang","ko")
    await go("msg","schedule","send-now","아침 인사","--yes","--lang","ko")
    await go("msg","schedule","test","아침 인사","--lang","ko")
    await go("msg","schedule","skip","아침 인사","--lang","ko")
    await go("msg","schedule","pause","아침 인사","--dry-run","--lang","ko")
    await go("msg","schedule","show","없음","--lang","ko")
    await go("msg","template","save","인사","--text","안녕","--images1",str(tmp_path/"a.jpg"),"--dry-run")
    await go("msg","template","save","인사","--text","안녕","--images1",str(tmp_path/"a.jpg"))
    await go("msg","template","list")
    await go("msg","schedule","logs","아침 인사")
