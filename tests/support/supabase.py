"""A stand-in of Supabase Storage: its two doors to one bucket, REST as `storage3` speaks it and S3 under a path.

The bucket is moto's. What is asked and answered is as PROTOCOLS has it recorded; nothing of the product is used here.
"""

import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.buckets import BUCKET, KEY, ObjectServer, object_server

SERVICE_KEY = "a-service-key"
S3_PATH = "storage/v1/s3"
# of the line alone: what the other side of a forwarded request says for itself
_OF_THE_LINE = {"connection", "content-length", "date", "host", "server", "transfer-encoding"}


class Refused(Exception):
    """Supabase says 400, and what it means in the body."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.body = {"statusCode": str(status), "error": error, "message": message}


class Supabase:
    def __init__(self, objects: ObjectServer, port: int) -> None:
        self.objects, self.port = objects, port
        # what was asked by REST, and how often somebody came by the S3 door
        self.asked: list[str] = []
        self.by_s3 = 0
        self._signed: dict[str, tuple[str, float]] = {}

    @property
    def rest_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/storage/v1/"

    @property
    def s3_address(self) -> str:
        whole = self.objects.address.replace(f":{self.objects.port}/", f":{self.port}/")
        return f"{whole}&path={S3_PATH}"

    # by REST

    async def upload(self, request: Request) -> Response:
        self._note(request)
        name = self._name(request)
        async with request.form() as form:
            file: Any = form["file"]
            content, kind = await file.read(), file.content_type
        if request.headers.get("x-upsert") != "true" and name in self.objects.list_keys():
            raise Refused(409, "Duplicate", "The resource already exists")
        await self._ask("put_object", Key=name, Body=content, ContentType=kind)
        return JSONResponse({"Id": secrets.token_hex(16), "Key": f"{BUCKET}/{name}"})

    async def download(self, request: Request) -> Response:
        self._note(request)
        return await self._show(self._name(request))

    async def sign(self, request: Request) -> Response:
        self._note(request)
        name, said = self._name(request), await request.json()
        await self._show(name)
        token = secrets.token_urlsafe(16)
        self._signed[token] = (name, time.time() + int(said["expiresIn"]))
        return JSONResponse({"signedURL": f"/object/sign/{BUCKET}/{name}?token={token}"})

    async def open_signed(self, request: Request) -> Response:
        """Without a key: the link is one."""
        name, until = self._signed.get(request.query_params["token"], ("", 0.0))
        if name != self._name(request) or until < time.time():
            raise Refused(400, "InvalidJWT", "invalid signature")
        return await self._show(name)

    async def list(self, request: Request) -> Response:
        """Files of one folder, and folders in it without an id."""
        self._note(request)
        said = await request.json()
        folder = f"{said['prefix'].strip('/')}/".lstrip("/")
        found = await self._ask("list_objects_v2", Prefix=folder, Delimiter="/")
        files = [
            {"name": one["Key"].removeprefix(folder), "id": one["ETag"].strip('"'), "metadata": {"size": one["Size"]}}
            for one in found.get("Contents", [])
        ]
        folders = [one["Prefix"].removeprefix(folder).rstrip("/") for one in found.get("CommonPrefixes", [])]
        shown = [*files, *({"name": name, "id": None, "metadata": None} for name in folders)]
        return JSONResponse(sorted(shown, key=lambda one: str(one["name"]))[: said["limit"]])

    async def remove(self, request: Request) -> Response:
        self._note(request)
        said, there = await request.json(), self.objects.list_keys()
        gone = [name for name in said["prefixes"] if name in there]
        for name in gone:
            await self._ask("delete_object", Key=name)
        return JSONResponse([{"name": name, "bucket_id": BUCKET} for name in gone])

    # by S3

    async def forward(self, request: Request) -> Response:
        credential = request.headers.get("authorization", "") or request.query_params.get("X-Amz-Credential", "")
        if f"{KEY}/" not in credential:
            return Response("<Error><Code>InvalidAccessKeyId</Code></Error>", 403, media_type="application/xml")
        self.by_s3 += 1
        query = f"?{request.url.query}" if request.url.query else ""
        inner = request.url.path.removeprefix(f"/{S3_PATH}")
        headers = {name: value for name, value in request.headers.items() if name not in _OF_THE_LINE}
        url = f"http://127.0.0.1:{self.objects.port}{inner}{query}"
        async with httpx2.AsyncClient(timeout=30) as client:
            got = await client.request(request.method, url, headers=headers, content=await request.body())
        kept = {name: value for name, value in got.headers.items() if name.lower() not in _OF_THE_LINE}
        if request.method == "HEAD":
            kept["content-length"] = got.headers.get("content-length", "0")
        return Response(got.content, got.status_code, kept)

    def _note(self, request: Request) -> None:
        if request.headers.get("authorization") != f"Bearer {SERVICE_KEY}" or not request.headers.get("apikey"):
            raise Refused(403, "Unauthorized", "invalid signature")
        self.asked.append(f"{request.method} {request.url.path.removeprefix('/storage/v1')}")

    def _name(self, request: Request) -> str:
        if request.path_params["bucket"] != BUCKET:
            raise Refused(404, "Bucket not found", "Bucket not found")
        return str(request.path_params["name"])

    async def _show(self, name: str) -> Response:
        if name not in self.objects.list_keys():
            raise Refused(404, "not_found", "Object not found")
        found = await self._ask("get_object", Key=name)
        return Response(await run_in_threadpool(found["Body"].read), media_type=found["ContentType"])

    async def _ask(self, verb: str, **given: Any) -> Any:
        call: Callable[..., Any] = getattr(self.objects.client, verb)
        return await run_in_threadpool(call, Bucket=BUCKET, **given)


def _routes(shown: Supabase) -> list[Route]:
    one = "/storage/v1/object/{bucket}/{name:path}"
    return [
        Route(f"/{S3_PATH}/{{name:path}}", shown.forward, methods=["GET", "HEAD", "PUT", "POST", "DELETE"]),
        Route("/storage/v1/object/sign/{bucket}/{name:path}", shown.sign, methods=["POST"]),
        Route("/storage/v1/object/sign/{bucket}/{name:path}", shown.open_signed, methods=["GET"]),
        Route("/storage/v1/object/list/{bucket}", shown.list, methods=["POST"]),
        Route("/storage/v1/object/{bucket}", shown.remove, methods=["DELETE"]),
        Route(one, shown.upload, methods=["POST"]),
        Route(one, shown.download, methods=["GET"]),
    ]


async def _say(_: Request, error: Exception) -> Response:
    return JSONResponse(error.body if isinstance(error, Refused) else {}, 400)


@contextmanager
def supabase() -> Iterator[Supabase]:
    with object_server() as objects, socket.create_server(("127.0.0.1", 0)) as door:
        shown = Supabase(objects, door.getsockname()[1])
        site = Starlette(routes=_routes(shown), exception_handlers={Refused: _say})
        server = uvicorn.Server(uvicorn.Config(site, log_config=None, lifespan="off"))
        thread = Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        try:
            yield shown
        finally:
            server.should_exit = True
            thread.join(10)
