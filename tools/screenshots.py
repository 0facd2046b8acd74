"""Takes the pictures in docs/screenshots from a demo that has run for an hour of its own time.

`python -m tools.screenshots [NAME …]` needs Chromium and a Korean font; PABAL_TEST_URL names a PostgreSQL to use
instead of a private one. With names only those pictures are taken; `messages` stands for all that begin so.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import asyncpg
from PIL import Image
from playwright.async_api import Page, expect

from pabal.base import clock, embedded
from pabal.base.database import Database
from tests.browser.furnishing import SECRET, furnish
from tests.browser.routes import FOUND_ON, list_pages, match_links
from tests.support.browser import DESK, PHONE, Look, Visitors, find_chromium, open_browser
from tests.support.cli import Cli
from tests.support.database import with_database
from tests.support.redis import start_redis

FOLDER = Path(__file__).resolve().parents[1] / "docs/screenshots"
MOST_BYTES = 150_000
STEP = timedelta(seconds=30)
STEPS = 120
FIRST_STEPS = 8
READING_MS = 16_000


@dataclass(frozen=True, slots=True)
class Picture:
    """`path` with a hole in it is found by a link to such a page, on `place` or where the tests find it. `is_fresh`: it
    shows the last minutes only, so that somebody talks in the demo's channel first."""

    name: str
    path: str
    caption: str
    in_english: bool = False
    in_dark: bool = False
    place: str = ""
    is_fresh: bool = False


PICTURES = (
    Picture("overview", "/", "Overview: what needs a person, the next hour, one card per app", True, True),
    Picture("approvals", "/approvals", "Approvals: what waits for you, what a yes will do, until when", True, True),
    Picture("messages-schedules", "/messages/schedules", "Messages: what is scheduled, and how it goes", True, True),
    Picture(
        "messages-schedule",
        "/messages/schedules/{schedule_id}",
        "One schedule: the next five, what became of the last, and how it will look",
        place="/messages/schedules?q=주말",
    ),
    Picture("messages-wizard", "/messages/schedules/wizard", "A new schedule, step by step"),
    Picture(
        "messages-form",
        "/messages/schedules/{schedule_id}/edit",
        "All of a schedule on one page, with the preview beside it",
        in_dark=True,
        place="/messages/schedules?q=주말",
    ),
    Picture("messages-templates", "/messages/templates", "Templates to begin with"),
    Picture("messages-rooms", "/messages/rooms", "Rooms: whose, and how much of their limits is used"),
    Picture("messages-room", "/messages/rooms/{room_id}", "One room: its budget, what comes, what is said there"),
    Picture("messages-bots", "/messages/bots", "Bots: where each is connected, and who asks to be let in"),
    Picture("messages-deliveries", "/messages/deliveries", "Send logs: one line a moment, with its reason", True, True),
    Picture(
        "messages-delivery",
        "/messages/deliveries/{delivery_id}",
        "One send: part by part, and as it was sent",
        place="/messages/deliveries?q=신상품",
    ),
    Picture("messages-statistics", "/messages/statistics", "Statistics: success, delay, weekday by hour"),
    Picture("ads-groups", "/ads/groups", "Ad groups: state, why, and what comes next", True, True),
    Picture(
        "ads-group",
        "/ads/groups/{ad_group_id}",
        "One ad group: the days ahead, the diagram, every event with its conditions, its past",
        in_english=True,
        in_dark=True,
        place="/ads/groups?state=running",
    ),
    Picture(
        "ads-group-form",
        "/ads/groups/{ad_group_id}/edit",
        "The hours of an ad group, painted or typed",
        place="/ads/groups?state=pending",
    ),
    Picture("ads-campaigns", "/ads/campaigns", "Campaigns: whose, from when to when, and whether they are open"),
    Picture("ads-inventory", "/ads/inventory", "Inventory: where ads are shown, by code"),
    Picture("ads-delayed", "/ads/delayed", "Delayed events: what comes by itself, the next one first"),
    Picture("ads-migration", "/ads/migration", "From calculated to stored: dry run, run, flags"),
    Picture("ads-mismatches", "/ads/mismatches", "Where calculator and machine differ, since when and why"),
    Picture("ads-serving", "/ads/serving", "What ad servers read, and the last checks of it"),
    Picture("relay", "/relay", "Relay: each message with the seconds it has left", True, True, is_fresh=True),
    Picture(
        "relay-message",
        "/relay/messages/{name}",
        "One message: every step with its time, what was answered, what Kakao got",
        place="/relay?state=acked",
        is_fresh=True,
    ),
    Picture("relay-conversations", "/relay/conversations", "Conversations: who is paired with whom"),
    Picture(
        "relay-conversation",
        "/relay/conversations/{conversation_id}",
        "One user: what was said, and what may be done",
        place="/relay/conversations?state=paired",
    ),
    Picture("relay-accounts", "/relay/accounts", "Accounts: who reads, and what waits", True),
    Picture("relay-account", "/relay/accounts/{account_id}", "One account: its users, its codes, its token"),
    Picture("relay-pairing", "/relay/pairing", "Pairing: codes that work now, and who used which", is_fresh=True),
    Picture("relay-code", "/relay/pairing/{code}", "One code: what the user sends, as text and to scan"),
    Picture("relay-connect", "/relay/connect", "How to connect: what to paste where"),
    Picture("relay-simulator", "/relay/simulator", "Simulator: chat as a KakaoTalk user of the demo", is_fresh=True),
    Picture("render", "/render", "Render queue: stages, when each is through, what will be late", True, True),
    Picture(
        "render-job",
        "/render/jobs/{render_id}",
        "One render: stages, log, mapping, pictures, the film",
        place="/render?state=completed",
    ),
    Picture("render-workers", "/render/workers", "Workers: slots, what each has, hours and pauses"),
    Picture("render-templates", "/render/templates", "Templates and mapping: compositions and their fields"),
    Picture("rules", "/rules", "Rules: what runs by itself, how the last twenty times went", True, True),
    Picture("rules-runs", "/rules/runs", "Runs: what became of each time, failures first"),
    Picture("rules-run", "/rules/runs/{run_id}", "One run: what it read, what it told whom", place="/rules/runs"),
    Picture("rules-sources", "/rules/sources", "Data sources: what a rule may read, and how it is asked"),
    Picture("rules-plans", "/rules/plans", "The planner: what was asked for, and what became of it"),
    Picture(
        "rules-plan",
        "/rules/plans/{plan_id}",
        "One plan: what it would do, what it may cost, which cases it learned from",
        in_english=True,
        in_dark=True,
        place="/rules/plans",
    ),
    Picture("rules-cases", "/rules/cases", "Memory: what a language model is shown as examples"),
    Picture("rules-heartbeats", "/rules/heartbeats", "Heartbeats: jobs elsewhere that report here"),
    Picture("render-statistics", "/render/statistics", "Statistics of renders, by composition and by hour"),
    Picture("jobs", "/jobs?view=all", "Jobs: where each is, and why", True),
    Picture("job", "/jobs/{job_id}", "One job: its story, its attempts, what may be done", in_dark=True),
    Picture("schedules", "/schedules", "Schedules: in words, with the next moment and the last twenty"),
    Picture("schedule", "/schedules/{schedule_id}", "One schedule: the next five, and what became of the last"),
    Picture("occurrences", "/occurrences", "Occurrences: each moment, what was decided and how it ended"),
    Picture("machines", "/machines", "State machines: drawn from their definition"),
    Picture("machine", "/machines/{name}", "One machine: its subjects by state"),
    Picture("subject", "/machines/{name}/{subject_id}", "One subject: where it is, where it came from, what is next"),
    Picture("facts", "/facts", "Facts: what happened, in the commit that made it true"),
    Picture("workflows", "/workflows", "Workflows: what there is, and how its runs go"),
    Picture(
        "workflows-run",
        "/workflows/runs/{run_id}",
        "One run: the state of each step, why it waits, where the time went",
        place="/workflows",
    ),
    Picture("events", "/events", "Events: the log, who takes them, and what failed"),
    Picture("health", "/health", "Health: components and measures with their limits", in_dark=True),
    Picture("servers", "/servers", "Servers: load, heartbeat, drain"),
    Picture("broker", "/broker", "Broker: what came in and what became of it, what goes out"),
    Picture("alerts", "/alerts", "Alerts: what fires, and every rule with its value now", True),
    Picture("alert", "/alerts/{alert_id}", "One alert: the series that broke its limit"),
    Picture("notifications", "/notifications", "Notifications: what people were told"),
    Picture("channels", "/notifications/channels", "Channels: who is told by which way, and of what"),
    Picture("audit", "/audit", "Audit: who changed what, before and after"),
    Picture("people", "/people", "Organisation and people: the tree, users and their roles"),
    Picture("tokens", "/people/tokens", "API tokens: what each may do, and until when"),
    Picture("settings", "/settings?group=2", "Settings: the default, the value now, who changed it", in_dark=True),
    Picture("backup", "/backup", "Backup: daily, kept, and proven by restoring"),
    Picture("search", "/search?q=공지", "Search: across everything one may see"),
    Picture("account", "/account", "One's own account: language, zone, theme, password, sessions"),
    Picture("sign-in", "/sign-in", "Sign-in", in_dark=True),
    Picture("docs", "/docs", "The API's documentation, offline"),
)


async def main(names: tuple[str, ...] = ()) -> int:
    program = find_chromium()
    if program is None:
        print("no Chromium on PATH", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with _scratch_folder() as folder:
        async with _demo(folder) as url, open_browser(program) as browser:
            visitors = Visitors(browser)
            await _work_a_little(await visitors.open(url))
            for picture in PICTURES:
                if names and not picture.name.startswith(names):
                    continue
                if picture.is_fresh:
                    await _talk(await visitors.open(url))
                await _take_all(visitors, url, picture)
                print(picture.name)
    (FOLDER / "README.md").write_text(_index(), encoding="utf-8")
    return 0


async def _take_all(visitors: Visitors, url: str, picture: Picture) -> None:
    looks = {"": Look(), "-390": Look(size=PHONE)}
    looks |= {"-en": Look(lang="en")} if picture.in_english else {}
    looks |= {"-dark": Look(theme="dark"), "-dark-390": Look(theme="dark", size=PHONE)} if picture.in_dark else {}
    login = None if picture.path == "/sign-in" else "demo-hq"
    for ending, look in looks.items():
        page = await visitors.open(url, login, look)
        await page.goto(await _find(page, picture))
        await _settle(page)
        _save(await page.screenshot(), FOLDER / f"{picture.name}{ending}.png")
        await visitors.close()


async def _find(page: Page, picture: Picture) -> str:
    path = picture.path
    if "{" not in path:
        return path
    await page.goto(picture.place or FOUND_ON[path])
    links = [await link.get_attribute("href") or "" for link in await page.locator("main a[href]").all()]
    return next(link for link in links if match_links(path).fullmatch(link) and link not in list_pages())


async def _settle(page: Page) -> None:
    """Charts draw themselves after the page, those in view first; the live mark is green when it follows."""
    if await page.locator(".pb-live[data-topics]:not([data-topics=''])").count():
        await expect(page.locator(".pb-live")).to_have_attribute("data-live", "on")
    if await page.locator("[data-chart]").count():
        await expect(page.locator("[data-chart] > div").first).to_be_attached()
    await page.wait_for_timeout(300)


async def _work_a_little(page: Page) -> None:
    """So that the audit, the settings and the backups have something to show."""
    await page.goto("/settings")
    await page.locator(".pb-nav-in").get_by_role("link", name="경보").click()
    await page.locator('tr[id="alerts.engine.stuck_work.threshold"]').get_by_role("textbox").fill("240")
    await page.get_by_role("button", name="저장").click()
    await page.goto("/backup")
    await page.get_by_role("button", name="지금 백업").first.click()
    await page.goto("/backup")
    await expect(page.locator("#backups tbody tr").first).to_contain_text("완료", timeout=60_000)
    await page.goto("/jobs?state=delayed&about=guest:7")
    await page.locator("a.title").click()
    await page.get_by_role("button", name="취소").first.click()
    await page.locator("#confirm [data-go]").click()
    await expect(page.locator("[data-toast]")).to_be_visible()


async def _talk(page: Page) -> None:
    """One user is answered, another one waits; and somebody has a code to pair with."""
    await page.goto("/relay/pairing")
    if not await page.locator("#active tbody tr").count():
        await page.get_by_role("button", name="새 코드").click()
        await page.get_by_role("button", name="코드 만들기").click()
        await page.wait_for_url("**/relay/pairing/*")
    # whether somebody reads is noted every quarter of a minute, and the clock was moved far
    await page.wait_for_timeout(READING_MS)
    for user, text in (("하늘", "재고가 모자란 품목 알려 줘"), ("지민", "내일 회의 몇 시야?")):
        await page.goto(f"/relay/simulator?user={user}")
        await page.locator("#say").fill(text)
        await page.get_by_role("button", name="보내기").click()
    await expect(page.locator("#chat .pb-bub-text").last).to_contain_text("데모 비서", timeout=15_000)


@asynccontextmanager
async def _demo(folder: Path) -> AsyncIterator[str]:
    given = {"PABAL_DATA_DIR": str(folder), "PABAL_SECRET_KEY": SECRET, "PABAL_LOG_LEVEL": "error"}
    async with _given_database() as database_url:
        redis = start_redis()
        given |= {"PABAL_SERVING_URL": f"{redis.connection_url}/0", "PABAL_BROKER_URL": redis.connection_url}
        if database_url:
            given["PABAL_DATABASE_URL"] = database_url
        with Cli(folder, given).running("up", "--demo", "--port", "0") as server:
            url = server.wait_for_url()
            found = embedded.find_running(folder / "postgres")
            await _live_on(database_url or (found.url() if found else ""))
            yield url
            server.stop()
        redis.stop()
        if not database_url:
            await embedded.remove(folder / "postgres")


async def _live_on(database_url: str) -> None:
    """An hour of the demo's own time, in steps small enough for every sample and every schedule. The first minutes go
    slowly: messages are on their way then, and phones do not know of our clock."""
    database = await Database.open(database_url, size=2)
    for _ in range(FIRST_STEPS):
        await clock.advance(database, STEP / 2)
        await asyncio.sleep(2)
    await furnish(database_url)
    for _ in range(STEPS):
        await clock.advance(database, STEP)
        await asyncio.sleep(0.25)
    await database.close()


@asynccontextmanager
async def _given_database() -> AsyncIterator[str]:
    """One on the PostgreSQL that PABAL_TEST_URL names, or nothing: then the server makes its own."""
    cluster = os.environ.get("PABAL_TEST_URL")
    if not cluster:
        yield ""
        return
    name = f"screenshots_{os.getpid()}"
    admin = await asyncpg.connect(cluster)
    await admin.execute(f'create database "{name}"')
    yield with_database(cluster, name)
    await admin.execute(f'drop database "{name}" with (force)')
    await admin.close()


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pabal-screenshots-") as name:
        # the private PostgreSQL runs as another user when we are root
        Path(name).chmod(0o755)
        yield Path(name)


def _save(shot: bytes, path: Path) -> None:
    """As few colours as keep it small; text and flat areas bear that well."""
    picture = Image.open(BytesIO(shot)).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return


def _index() -> str:
    lines = [
        "# Screenshots",
        "",
        "Taken from the demo by `python -m tools.screenshots`; nothing here is drawn by hand.",
    ]
    lines += [f"Desk: {DESK['width']} × {DESK['height']}; phone: {PHONE['width']} × {PHONE['height']}.", ""]
    lines += ["| Page | Pictures |", "|---|---|"]
    for picture in PICTURES:
        endings = ["", "-390", *(["-en"] if picture.in_english else [])]
        endings += ["-dark", "-dark-390"] if picture.in_dark else []
        links = [f"[{ending.lstrip('-') or 'desk'}]({picture.name}{ending}.png)" for ending in endings]
        lines.append(f"| {picture.caption} | {' · '.join(links)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(asyncio.run(main(tuple(sys.argv[1:]))))
