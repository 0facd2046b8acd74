"""What the relay reads from its environment when a server starts: secrets, and which addresses may be called."""

from pydantic import Field

from pabal.apps.relay.gateway import EVENT_URL, HOSTS
from pabal.base.settings import AppSettings


class RelayStartup(AppSettings, env_prefix="PABAL_RELAY_"):
    secret: str = Field(
        "",
        repr=False,
        description="What Kakao sends in the header below, as set in the skill. Empty: nothing is asked.",
    )
    secret_header: str = Field("X-Relay-Secret", description="The header that carries the secret.")
    callback_hosts: str = Field(
        HOSTS,
        description="Where answers may be sent: endings of host names, reached by https, and whole origins such as "
        "http://127.0.0.1:9100 for a simulator, separated by commas.",
    )
    rest_key: str = Field("", repr=False, description="REST key of the Kakao app, for late answers by the Event API.")
    event_url: str = Field(EVENT_URL, description="Address of Kakao's Event API, or of the simulator.")
    channel_url: str = Field(
        "", description="The channel's chat, such as https://pf.kakao.com/_abcd/chat, for QR codes of pairing."
    )
