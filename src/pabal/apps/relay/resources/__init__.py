"""The resources of the relay, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.relay.resources.accounts import ACCOUNT, CODE
from pabal.apps.relay.resources.conversations import CONVERSATION
from pabal.apps.relay.resources.messages import MESSAGE, TRACE

NOUNS = (ACCOUNT, CODE, CONVERSATION, MESSAGE, TRACE)
