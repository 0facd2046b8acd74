"""The kinds of work ad groups have."""

from pabal.apps.adgroups.jobs import serving
from pabal.apps.adgroups.legacy import jobs as legacy
from pabal.engine.kinds import Kinds
from pabal.platform.services import Services


def make_kinds(services: Services) -> Kinds:
    kinds = Kinds()
    serving.add_kinds(kinds, services)
    legacy.add_kinds(kinds, services)
    return kinds
