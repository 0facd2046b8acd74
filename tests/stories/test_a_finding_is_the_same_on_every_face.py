"""What is wrong with a field is said once: a page shows it beside the field, REST and a command answer it alike."""

import html
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.cli.inside import Inside
from tests.support.web import SECRET, Web

TOKEN = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
SAID = {
    "en": {
        "campaign": "It must end after it starts.",
        "channel": "A chat is a number such as 4242 or -1001234567890, or the @name of a public channel.",
    },
    "ko": {
        "campaign": "종료는 시작보다 늦어야 합니다.",
        "channel": "채팅은 4242나 -1001234567890 같은 숫자, 또는 공개 채널의 @이름입니다.",
    },
}


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps=apps, secret_key=SECRET)


@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_a_campaign_that_ends_before_it_starts(web: Web, tmp_path: Path, lang: str):
    client, person, run = await everybody(web, tmp_path, lang)
    spring = {"start_at": "2026-12-02T00:00:00Z", "end_at": "2026-12-01T00:00:00Z"}
    typed = {"name": "봄", "start_at": "2026-12-02T00:00", "end_at": "2026-12-01T00:00", "state": "open", "unit_id": ""}

    asked = await client.post("/api/v1/adgroups/campaigns", json={"name": "봄", **spring})
    shown = await person.post("/ads/campaigns/new", data=typed)
    told = ("ad", "campaign", "create", "봄", "--from", "2026-12-02T00:00Z", "--until", "2026-12-01T00:00Z")

    found = [{"pointer": "/end_at", "code": "ends_early", "detail": SAID[lang]["campaign"]}]
    assert (asked.status_code, asked.json()["code"], asked.json()["errors"]) == (422, "bad_campaign", found)
    assert (shown.status_code, said_beside(shown, "end_at")) == (422, SAID[lang]["campaign"])
    assert await refused(run, lang, *told) == ("bad_campaign", found)
    assert f"--until: {SAID[lang]['campaign']}" in (await run(*told, "--lang", lang)).err


@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_a_channel_whose_chat_is_none(web: Web, tmp_path: Path, lang: str):
    client, person, run = await everybody(web, tmp_path, lang)
    typed = {"name": "당직방", "chat_id": "??", "token": TOKEN, "unit_id": str(web.unit("hq").id)}

    asked = await client.post("/api/v1/channels", json={"name": "당직방", "chat_id": "??", "token": TOKEN})
    shown = await person.post("/notifications/channels", data=typed)
    told = ("channel", "add", "당직방", "--chat", "??")

    found = [{"pointer": "/chat_id", "code": "bad_chat", "detail": SAID[lang]["channel"]}]
    assert (asked.status_code, asked.json()["code"], asked.json()["errors"]) == (422, "bad_channel", found)
    assert (shown.status_code, said_beside(shown, "chat_id")) == (422, SAID[lang]["channel"])
    assert await refused(run, lang, *told, said=TOKEN) == ("bad_channel", found)
    assert f"--chat: {SAID[lang]['channel']}" in (await run(*told, "--lang", lang, said=TOKEN)).err


async def everybody(web: Web, folder: Path, lang: str) -> tuple[httpx2.AsyncClient, httpx2.AsyncClient, Inside]:
    client = await web.as_("hq", **{"Accept-Language": lang})
    person = await web.as_("hq", Role.ADMIN, by="session", **{"Accept-Language": lang})
    return client, person, Inside(folder, web.db.url)


def said_beside(page: httpx2.Response, field: str) -> str:
    beside = page.text.partition(f'id="{field}-err">')[2].partition("</span>")[0]
    return html.unescape(beside)


async def refused(run: Inside, lang: str, *command: str, said: str = "") -> tuple[str, Any]:
    answer = await run(*command, "-o", "json", "--lang", lang, said=said)
    problem = json.loads(answer.err)
    assert answer.code == 2
    return problem["code"], problem["errors"]
