"""Haeundae has a campaign and a place to show ads in; tests make ad groups there, over HTTP as programs do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx2

from pabal.apps.adgroups.machine import AD_GROUP
from pabal.engine import timers
from tests.support.web import Web

V1 = "/api/v1/adgroups"
DAY = timedelta(days=1)


@dataclass(frozen=True)
class House:
    """`now` is when it was built, on the database's clock; `admin` and `operator` are of the unit it is in."""

    web: Web
    admin: httpx2.AsyncClient
    now: datetime
    campaign: str
    code: str

    def body(self, **changed: Any) -> dict[str, Any]:
        """Begins tomorrow, for a week."""
        return {
            "name": "여름 행사",
            "campaign": self.campaign,
            "start_at": (self.now + DAY).isoformat(),
            "end_at": (self.now + 8 * DAY).isoformat(),
            **changed,
        }

    async def make(self, *events: str, **changed: Any) -> str:
        """The address of a new one with all it needs, to which these events were sent."""
        made = await self.admin.post(V1, json=self.body(**changed))
        path: str = made.headers["Location"]
        await self.admin.post(f"{path}/creatives", json={"name": "포스터", "url": "https://cdn.example.com/a.png"})
        await self.admin.put(f"{path}/inventory", json={"codes": [self.code]})
        for event in events:
            sent = await self.admin.post(f"{path}/events", json={"event": event})
            assert sent.status_code == 200, sent.text
        return path

    async def fire(self) -> int:
        """What is due now happens."""
        return await timers.fire_once(self.web.db, [AD_GROUP])


async def build(web: Web, unit: str = "haeundae", *, code: str = "busan-1") -> House:
    admin = await web.as_(unit)
    async with web.db.transaction() as tx:
        now = tx.now
    asked = {"name": f"{unit} 캠페인", "start_at": (now - DAY).isoformat()}
    campaign = (await admin.post(f"{V1}/campaigns", json=asked)).json()["id"]
    await admin.post(f"{V1}/inventory", json={"code": code, "name": f"{unit} 화면"})
    return House(web, admin, now, campaign, code)
