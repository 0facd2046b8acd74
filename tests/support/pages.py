"""Opening console pages as somebody: what they show, without tags' escapes."""

import html

import httpx2

from pabal.platform.actor import Role
from tests.support.web import Web


async def visitor(web: Web, unit: str = "hq", role: Role = Role.ADMIN, *, lang: str = "en") -> httpx2.AsyncClient:
    """Signed in, with the CSRF token in its headers, as a page's script would send it."""
    return await web.as_(unit, role, by="session", **{"Accept": "text/html", "Accept-Language": lang})


async def read(client: httpx2.AsyncClient, path: str, status: int = 200) -> str:
    answer = await client.get(path)
    assert answer.status_code == status, f"{path}: {answer.status_code} {answer.text[:500]}"
    return html.unescape(answer.text)
