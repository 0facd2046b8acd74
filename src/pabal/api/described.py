"""The nouns whose REST follows from their descriptions alone: they have no endpoint of their own."""

from fastapi import APIRouter

from pabal.api.parts import noun
from pabal.platform.resources import Noun
from pabal.platform.web.rest import rest, rest_report
from pabal.resources.alerts import ALERT, RULE
from pabal.resources.approvals import APPROVAL
from pabal.resources.audit import ENTRY
from pabal.resources.events import CONSUMER, DEAD_LETTER, EVENT
from pabal.resources.insight import HEALTH
from pabal.resources.lanes import LANE
from pabal.resources.people import TOKEN, UNIT, USER
from pabal.resources.settings import SETTING
from pabal.resources.work import SERVER


def _describe(tag: str, *nouns: Noun) -> APIRouter:
    router = noun(tag)
    for one in nouns:
        rest(router, one)
    return router


alerts = _describe("alerts", ALERT, RULE)
approvals = _describe("approvals", APPROVAL)
audit = _describe("audit", ENTRY)
events = _describe("events", EVENT, CONSUMER, DEAD_LETTER)
lanes = _describe("lanes", LANE)
servers = _describe("servers", SERVER)
settings = _describe("settings", SETTING)
tokens = _describe("tokens", TOKEN)
units = _describe("units", UNIT)
users = _describe("users", USER)
health = noun("health")
rest_report(health, HEALTH)
