"""The kinds of work messaging has: sending, and putting old deliveries away."""

from pabal.apps.messaging.jobs.archive import ARCHIVE, Archiver
from pabal.apps.messaging.jobs.sending import Send
from pabal.apps.messaging.model.deliveries import SEND
from pabal.engine.kinds import Kinds
from pabal.platform.services import Services


def make_kinds(services: Services) -> Kinds:
    kinds = Kinds()
    send = Send(services)
    kinds.shared_steps(SEND, send, claim_most=send.claim_most)
    kinds.plain(ARCHIVE)(Archiver(services).run)
    return kinds
