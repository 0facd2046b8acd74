"""A real Chromium before a real demo server. A page that complains to its console fails the test that opened it."""

import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, async_playwright

from pabal.platform.demo import PASSWORD

# One browser and one server for all: a second worker would start both again.
BROWSER = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("browser")]
NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESK = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
CEILING_MS = 30_000
_LISTEN = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


def find_chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def need_chromium() -> str:
    """`make test` installs it where it may: as root on Debian. Elsewhere a missing browser is no failure."""
    found = find_chromium()
    if found is None and os.geteuid() == 0 and Path("/etc/debian_version").is_file():
        pytest.fail("no Chromium on PATH: apt-get install chromium fonts-noto-cjk")
    if found is None:
        pytest.skip(f"no browser on PATH ({', '.join(NAMES)}): install Chromium to run these tests")
    return found


@asynccontextmanager
async def open_browser(program: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(SWITCHES))
        yield browser
        await browser.close()


@dataclass(frozen=True)
class Look:
    """How a visitor looks at pages."""

    lang: Literal["ko", "en"] = "ko"
    size: ViewportSize = field(default_factory=lambda: DESK)
    theme: Literal["light", "dark"] = "light"
    has_javascript: bool = True
    has_less_motion: bool = False

    @property
    def options(self) -> dict[str, Any]:
        return {
            "viewport": self.size,
            "locale": "ko-KR" if self.lang == "ko" else "en-GB",
            "color_scheme": self.theme,
            "java_script_enabled": self.has_javascript,
            "reduced_motion": "reduce" if self.has_less_motion else "no-preference",
            "has_touch": self.size["width"] < 600,
        }


DEFAULT = Look()


@dataclass
class Visitors:
    """`await visitors.open(url, "demo-hq")` is a page of somebody signed in, in a browser of their own."""

    browser: Browser
    # what is no defect in this test, such as the failed requests of a server that was stopped on purpose
    expected: re.Pattern[str] | None = None
    complaints: list[str] = field(default_factory=list)
    _sessions: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def open(self, url: str, login: str | None = "demo-hq", look: Look = DEFAULT) -> Page:
        context = await self.browser.new_context(base_url=url, **look.options)
        self._open.push_async_callback(context.close)
        context.set_default_timeout(CEILING_MS)
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.complaints.append(f"{error.page}: {error.error}"))
        await context.add_init_script(_LISTEN)
        if login is not None:
            await context.add_cookies(await self._sign_in(context, url, login))
        return await context.new_page()

    async def close(self) -> None:
        await self._open.aclose()
        self._open = AsyncExitStack()

    def take_complaints(self) -> list[str]:
        taken = [one for one in self.complaints if self.expected is None or not self.expected.search(one)]
        self.complaints.clear()
        self.expected = None
        return taken

    async def _sign_in(self, context: BrowserContext, url: str, login: str) -> list[Any]:
        """Once for each person: passwords are slow on purpose."""
        if (url, login) not in self._sessions:
            form = {"login": login, "password": PASSWORD}
            answer = await context.request.post(f"{url}/sign-in", form=form, max_redirects=0)
            assert answer.status == 303, await answer.text()
            self._sessions[url, login] = await context.cookies()
        return self._sessions[url, login]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.location['url']}: {message.text}")
