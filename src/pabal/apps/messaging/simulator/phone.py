"""The phone as a value: who it says it is, and what its script says in each dialect. No socket here."""

import hashlib
import hmac
import re
import uuid
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from pabal.apps.messaging.simulator.witness import Dialect, write_frame
from pabal.base.clock import host_time

CLIENT_TYPE = "MessengerBotR"
MAC = "02:00:00:00:00:00"  # what Android answers to every app that asks
_MB = 1024 * 1024


@dataclass(frozen=True)
class Phone:
    """`skew` is how far its clock is ahead. `has_zero_positions`: chat says [0,0] although raw follows, as some do."""

    name: str
    device_id: str
    version: str = "3.3.3"
    device_key: Literal["deviceID", "deviceId"] = "deviceID"
    is_nested: bool = True
    device_ip: str = "10.0.0.5"
    device_info: str = "Pabal simulator (Android 13, API 33)"
    secret: str = field(default="", repr=False)
    salt: str = field(default="", repr=False)
    skew: timedelta = timedelta(0)
    has_zero_positions: bool = False

    @property
    def dialect(self) -> Dialect:
        found = re.match(r"(\d+)\.(\d+)", self.version)
        is_new = found is not None and (int(found[1]), int(found[2])) >= (3, 3)
        return Dialect.V33 if is_new else Dialect.V32

    @property
    def device_uuid(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, self.device_id))

    def handshake(self) -> bytes:
        data = {"clientType": CLIENT_TYPE, "botName": self.name, "version": self.version}
        data |= {self.device_key: self.device_id, "deviceIP": self.device_ip, "deviceInfo": self.device_info}
        return self._write("handshake" if self.is_nested else None, data)

    def pong(self, server_timestamp: object, *, queued: int, rooms: int) -> bytes:
        monitoring = {"total_memory": 256 * _MB, "memory_usage": 64 * _MB, "memory_percent": 25}
        monitoring |= {"message_queue_size": queued, "active_rooms": rooms}
        data: dict[str, Any] = {"bot_name": self.name, "server_timestamp": server_timestamp, "monitoring": monitoring}
        return self._write("pong" if self.dialect is Dialect.V33 else "ping", data | self._auth())

    def chat(self, chat: "Chat") -> bytes:
        if self.dialect is Dialect.V32:
            return self._write("analyze", self._old_chat(chat) | self._auth())
        raw = b64encode(chat.text.encode()).decode()
        end = 0 if self.has_zero_positions else len(raw)
        data = {"room": chat.room, "channel_id": chat.channel_id, "message_type": "text"}
        data |= {"content_encoding": "base64", "sender": chat.sender, "user_hash": chat.user_hash}
        more = {"is_group_chat": True, "is_mention": False, "log_id": chat.log_id, "message_positions": [0, end]}
        names = {"bot_name": self.name, "client_type": CLIENT_TYPE}
        return self._write("message", data | more | names | self._auth(), raw)

    def _old_chat(self, chat: "Chat") -> dict[str, Any]:
        data = {"room": chat.room, "channelId": chat.channel_id, "text": chat.text, "sender": chat.sender}
        more = {"isGroupChat": True, "isMention": False, "logId": chat.log_id, "userHash": chat.user_hash}
        return data | more | {"botName": self.name, "clientType": CLIENT_TYPE}

    def _write(self, event: str | None, data: Mapping[str, Any], raw: str = "") -> bytes:
        now = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        added: dict[str, Any] = {"timestamp": now, "timezone": "Asia/Seoul"}
        if self.dialect is Dialect.V33:
            added["message_positions"] = data.get("message_positions", [0, 0])
        return write_frame(event, {**data, **added}, raw)

    def _auth(self) -> dict[str, Any]:
        """Nothing without a secret."""
        if not self.secret:
            return {}
        timestamp = round(self._now().timestamp() * 1000)
        signed = (CLIENT_TYPE, self.name, self.device_uuid, MAC, self.device_ip, str(timestamp), self.salt)
        signature = hmac.new(self.secret.encode(), "|".join(signed).encode(), hashlib.sha256).hexdigest()
        who = {"clientType": CLIENT_TYPE, "botName": self.name, "deviceUUID": self.device_uuid}
        where = {"deviceID": self.device_id, "macAddress": MAC, "ipAddress": self.device_ip}
        return {"auth": {**who, **where, "timestamp": timestamp, "version": self.version, "signature": signature}}

    def _now(self) -> datetime:
        return moment() + self.skew


@dataclass(frozen=True)
class Chat:
    """What somebody wrote in a room, as the phone tells it."""

    room: str
    channel_id: str
    sender: str
    text: str
    log_id: str

    @property
    def user_hash(self) -> str:
        return hashlib.sha256(self.sender.encode()).hexdigest()


def moment() -> datetime:
    """A phone has only its own clock, so the witness's moments are the machine's."""
    return datetime.fromtimestamp(host_time(), UTC)


def usual_device(name: str) -> str:
    """The same for the same bot in every process, so that an approval holds."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def media_seconds(sizes: Sequence[int], given_ms: int) -> float:
    """How long the receive thread sleeps over media: as told, or by the script's own rule; then 0.2 s and 1 s."""
    wait_ms: float = given_ms
    if wait_ms <= 0:
        wait_ms = 1500 + 2000 * sum(sizes) / _MB + 300 * (len(sizes) - 1)
        least, most = (4000, 6000) if len(sizes) < 2 else (3000, 15000)
        wait_ms = min(max(wait_ms, least), most)
    return wait_ms / 1000 + 1.2


def backoff_seconds(failures: int) -> float:
    """4 s after the first failure, then twice as long each time, 60 s at most."""
    return float(min(2 * 2 ** min(failures, 10), 60))
