"""The HTTP client of the gateway. Loaded at the first send."""

from collections.abc import AsyncIterator

import httpx2

_TIMEOUT = httpx2.Timeout(30.0, connect=10.0)


class Wire:
    def __init__(self) -> None:
        self._client = httpx2.AsyncClient(transport=_TokenInPath(), timeout=_TIMEOUT)

    async def post(
        self, url: str, content: bytes | AsyncIterator[bytes], headers: dict[str, str], *, token: str
    ) -> tuple[int, bytes] | str:
        """Status and body, or the name of what went wrong. The token goes between the path's last two parts."""
        try:
            response = await self._client.post(url, content=content, headers=headers, extensions={"bot_token": token})
        except httpx2.RequestError as error:
            return type(error).__name__
        return response.status_code, response.content

    async def close(self) -> None:
        await self._client.aclose()


class _TokenInPath(httpx2.AsyncBaseTransport):
    """Puts the token into the path at the last moment: the client above logs addresses and puts them into errors."""

    def __init__(self) -> None:
        self._wire = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        token = request.extensions.pop("bot_token")
        base, _, method = request.url.raw_path.rpartition(b"/")
        return await self._wire.handle_async_request(
            httpx2.Request(
                request.method,
                request.url.copy_with(raw_path=base + f"{token}/".encode() + method),
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )

    async def aclose(self) -> None:
        await self._wire.aclose()
