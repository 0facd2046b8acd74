"""A process that can be killed: `server` sends by webhook until then, `receiver` takes one request and says nothing."""

import asyncio
import json
import sys
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

from pabal.base.database import Database
from pabal.engine.server import Options, Server
from pabal.platform.notifications import Mailer, Webhooks, make_out_kinds
from pabal.platform.secrets import Vault
from pabal.platform.storage import Files

KEY = "a key that only tests know"


def say(word: str, **fields: object) -> None:
    print(json.dumps({"word": word, **fields}), flush=True)


async def serve(url: str, folder: str) -> None:
    database, pulse = await Database.open(url, size=5), await Database.open(url, size=2)
    webhooks = Webhooks([ip_network("127.0.0.0/8")])
    kinds = make_out_kinds(webhooks, Mailer(None), Vault(KEY), Files(Path(folder) / "files"))
    options = Options(Path(folder) / "locks", concurrency=2, grace=timedelta(0), ttl=timedelta(hours=1))
    await Server(database, pulse, kinds, options).start()
    say("serving")
    await asyncio.Event().wait()


async def receive(port: str) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        say("taken")
        await reader.read()

    server = await asyncio.start_server(handle, "127.0.0.1", int(port))
    say("receiving")
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run({"server": serve, "receiver": receive}[sys.argv[1]](*sys.argv[2:]))
