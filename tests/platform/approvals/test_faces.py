"""The inbox on the web, by REST and on the command line: what it shows to whom, and what each answer does."""

import re
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import ids
from pabal.platform import notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.notifications import ChannelForm, linking
from tests.cli.inside import Inside
from tests.platform.approvals.asked import all_of, last, open_device, open_ready, shown
from tests.support.people import person
from tests.support.web import SECRET, Web

APPS = "pabal.apps.messaging,pabal.apps.adgroups"
V1 = "/api/v1/approvals"


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=APPS, secret_key=SECRET)


@pytest.fixture
def run(db: Database, tmp_path: Path) -> Inside:
    return Inside(tmp_path, db.url)


async def test_the_page_shows_cards_with_what_happens_and_a_count_in_the_menu(web: Web):
    await open_device(web.db, web.tree.haeundae)
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    admin = await web.as_("haeundae", by="session")

    english = (await admin.get("/approvals")).text
    korean = (await admin.get("/approvals", headers={"Accept-Language": "ko"})).text

    assert "A device asks to be the bot busan9" in english
    assert "Shoes is ready" in english
    assert 'name="verdict" value="approve"' in english
    assert "2 wait for you" in english
    assert "내 결정을 기다리는 것 2건" in korean
    assert "기기 승인" in korean
    menu = english.split('href="/approvals"')[1].split("</a>")[0]
    assert ">2<" in menu


async def test_a_phone_has_the_inbox_and_its_count_at_hand(web: Web):
    await open_device(web.db, web.tree.haeundae)
    page = (await (await web.as_("haeundae", by="session")).get("/approvals")).text

    bar = page.split('class="pb-bottom"')[1].split("</nav>")[0]
    assert re.findall(r'<a href="([^"]+)"', bar) == ["/", "/approvals", "/messages/schedules"]
    assert 'href="/approvals" aria-current="page"' in bar
    assert ">1<" in bar


async def test_who_may_only_look_sees_no_buttons_and_no_count_and_another_branch_sees_nothing(web: Web):
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    asked = await last(web.db)
    viewer, other = await web.as_("haeundae", Role.VIEWER, by="session"), await web.as_("nampo", by="session")

    seen, theirs = (await viewer.get("/approvals")).text, (await other.get("/approvals")).text
    tried = await viewer.post(f"/approvals/{asked.id}/decision", data={"verdict": "approve"})
    strange = await other.post(f"/approvals/{asked.id}/decision", data={"verdict": "approve"})

    assert "Shoes is ready" in seen
    assert 'name="verdict"' not in seen
    assert "Nothing waits for you." in theirs
    assert (tried.status_code, strange.status_code) == (403, 404)
    assert (await other.get(f"/approvals/{asked.id}")).status_code == 404
    assert (await last(web.db)).state == "open"


async def test_a_form_without_scripts_decides_and_whoever_comes_second_sees_who_was_first(web: Web):
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    asked = await last(web.db)
    first, second = await web.as_("haeundae", by="session"), await web.as_("busan", by="session")

    done = await first.post(f"/approvals/{asked.id}/decision", data={"verdict": "reject", "reason": "기간이 틀림"})
    late = await second.post(f"/approvals/{asked.id}/decision", data={"verdict": "approve"})
    page = (await second.get("/approvals?view=all")).text
    mine = (await first.get("/approvals?view=mine")).text
    others = (await second.get("/approvals?view=mine")).text

    assert (done.status_code, done.headers["location"]) == (303, f"/approvals?done={asked.id}")
    assert late.status_code == 409
    assert "haeundae admin" in late.text
    assert "기간이 틀림" in page
    assert ("Shoes is ready" in mine, "Shoes is ready" in others) == (True, False)


async def test_several_cards_are_decided_together_by_whoever_may_decide_them(web: Web):
    await open_device(web.db, web.tree.haeundae)
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    admin, viewer = await web.as_("haeundae", by="session"), await web.as_("haeundae", Role.VIEWER, by="session")

    page, seen = (await admin.get("/approvals")).text, (await viewer.get("/approvals")).text
    ticks = re.findall(r'name="id" value="(apr_[^"]+)" form="many"', page)
    done = await admin.post("/bulks", data={"noun": "platform.approvals", "verb": "approve", "id": ticks, "once": "a"})
    told = (await admin.get(done.headers["location"])).text

    assert (len(ticks), 'form="many"' in seen) == (2, False)
    assert "2 done, 0 left as they were" in told
    assert "Nothing waits for you." in (await admin.get("/approvals")).text


async def test_later_and_undo_are_buttons_of_the_page(web: Web):
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    asked = await last(web.db)
    client = await web.as_("haeundae", by="session")
    here = f"/approvals/{asked.id}"

    put_off = await client.post(f"{here}/later")
    empty, aside = (await client.get("/approvals")).text, (await client.get("/approvals?view=later")).text
    await client.post(f"{here}/now")
    done = await client.post(f"{here}/decision", data={"verdict": "reject"})
    offered = (await client.get(done.headers["location"])).text
    undone = await client.post(f"{here}/undo")
    again = await client.post(f"{here}/undo")

    assert (put_off.status_code, undone.status_code, again.status_code) == (303, 303, 409)
    assert ("Shoes is ready" in empty, "Shoes is ready" in aside) == (False, True)
    assert f"{here}/undo" in offered
    assert (await last(web.db)).id != asked.id


async def test_rest_lists_shows_and_decides_and_says_who_was_first(web: Web):
    group = await open_ready(web.db, person(web.tree.haeundae, number=50))
    asked = await last(web.db)
    admin, korean = await web.as_("haeundae"), await web.as_("haeundae", **{"Accept-Language": "ko"})
    path = f"{V1}/{shown(asked)}"

    listed = (await admin.get(V1)).json()["items"]
    tried = await admin.post(f"{path}/decision?dry_run=true", json={"verdict": "approve"})
    still = (await admin.get(path)).json()["state"]
    done = await admin.post(f"{path}/decision", json={"verdict": "approve", "reason": "좋음"})
    late = await korean.post(f"{path}/decision", json={"verdict": "reject"})

    assert [(one["id"], one["subject"], one["may_decide"]) for one in listed] == [
        (shown(asked), f"adgroup:{group}", True)
    ]
    assert listed[0]["will"][0].startswith("It goes on air")
    assert (tried.json()["state"], still) == ("approved", "open")
    assert (done.json()["state"], done.json()["reason"], done.json()["decided_by"]) == (
        "approved",
        "좋음",
        "haeundae admin",
    )
    problem = late.json()
    assert (late.status_code, problem["code"], problem["state"]) == (409, "approval_decided", "approved")
    assert (problem["decided_by"], problem["decided_at"]) == ("haeundae admin", problem["decided_at"])
    assert problem["title"] == "다른 사람이 먼저 결정했습니다. 먼저 한 답이 유효합니다."
    assert (await admin.get(f"/api/v1/adgroups/{ids.show('adg', group)}")).json()["status"] == "APPROVED"


async def test_a_token_sees_only_the_kinds_whose_area_it_has(web: Web):
    await open_device(web.db, web.tree.haeundae)
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    ads = await web.as_("haeundae", scopes=("approvals:write", "adgroups:read"))

    listed = (await ads.get(V1)).json()["items"]
    answers = [
        (await ads.post(f"{V1}/{shown(one)}/decision", json={"verdict": "approve"})).status_code
        for one in await all_of(web.db)
    ]

    assert [one["kind"] for one in listed] == ["adgroups.ready"]
    assert answers == [404, 403]


async def test_the_app_s_own_doors_close_it_for_the_inbox(web: Web):
    group = await open_ready(web.db, person(web.tree.haeundae, number=50))
    device = await open_device(web.db, web.tree.haeundae)
    admin = await web.as_("haeundae")

    await admin.post(f"/api/v1/adgroups/{ids.show('adg', group)}/events", json={"event": "APPROVE", "reason": "직접"})
    await admin.post(f"/api/v1/machines/bot_device/subjects/{device}/events", json={"event": "deny"})

    found = {one.kind: (one.state, one.reason) for one in await all_of(web.db, "approved", "rejected")}
    assert found == {"adgroups.ready": ("approved", "직접"), "messaging.device": ("rejected", None)}
    assert (await admin.get(V1)).json()["items"] == []


async def test_the_machine_s_own_door_decides_no_approval(web: Web):
    await open_ready(web.db, person(web.tree.haeundae, number=50))
    asked = await last(web.db)
    admin = await web.as_("haeundae")

    tried = await admin.post(f"/api/v1/machines/approval/subjects/{asked.id}/events", json={"event": "approve"})

    assert (tried.status_code, tried.json()["code"]) == (409, "event_not_by_hand")
    assert (await last(web.db)).state == "open"


async def test_the_command_line_lists_shows_approves_and_rejects(run: Inside, web: Web):
    await open_device(web.db, web.tree.haeundae)
    await open_device(web.db, web.tree.haeundae, "busan8")
    first, second = await all_of(web.db)

    listed = (await run("inbox", "-o", "json", PABAL_APPS=APPS)).json["items"]
    one = await run("inbox", shown(first), "--lang", "ko", PABAL_APPS=APPS)
    yes = (await run("approve", shown(first), "-m", "내 전화기", "-o", "json", PABAL_APPS=APPS)).json
    silent = await run("reject", shown(second), PABAL_APPS=APPS)
    no = (await run("reject", shown(second), "-m", "모르는 전화기", "-o", "json", PABAL_APPS=APPS)).json
    late = await run("approve", shown(second), PABAL_APPS=APPS)
    missing = await run("approve", "apr_0000000000001", PABAL_APPS=APPS)

    assert [one["id"] for one in listed] == [shown(second), shown(first)]
    assert "기기가 ‘busan9’ 봇으로 연결하려 합니다" in one.out
    assert (yes["state"], yes["reason"], yes["decided_by"][:4]) == ("approved", "내 전화기", "cli:")
    assert (no["state"], no["reason"]) == ("rejected", "모르는 전화기")
    assert (silent.code, late.code, missing.code) == (2, 5, 3)
    assert "approval_decided" in late.err


async def test_a_person_makes_a_code_for_telegram_and_a_program_cannot(run: Inside, web: Web):
    person_, program = await web.as_("haeundae", by="session"), await web.as_("haeundae")

    early = await person_.post("/api/v1/me/telegram-code")
    async with web.db.transaction() as tx:
        form = ChannelForm("운영방", "-1009", "700100200:AA-simulated-token-of-a-bot-wxyz")
        await notifications.add_channel(tx, ENGINE, web.app.services.vault, form, unit_id=web.tree.hq.id)
    made = (await person_.post("/api/v1/me/telegram-code")).json()
    page = (await person_.post("/account/telegram")).text
    refused = await program.post("/api/v1/me/telegram-code")
    told = (await run("user", "telegram", "haeundae.admin", "-o", "json")).json

    assert (early.status_code, early.json()["code"]) == (404, "no_bot")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_a_person")
    assert "/start " in page
    codes = {made["code"], page.split("/start ")[1].split("<")[0], told["code"]}
    assert [len(code) for code in codes] == [10, 10, 10]
    async with web.db.transaction() as tx:
        given = {"telegram_id": 501, "chat_id": "501", "bot_id": 700100200}
        # the last one made is the one that works
        assert await linking.use_code(tx, made["code"], **given) is None
        linked = await linking.use_code(tx, told["code"], **given)
    assert linked is not None
    assert linked.login == "haeundae.admin"
    assert "Linked since" in (await person_.get("/account")).text
