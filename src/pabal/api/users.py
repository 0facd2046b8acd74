"""Users: people, their role and their unit. Passwords are chosen by themselves, through a one-time link."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.people import USER

router = noun("users")
rest(router, USER)
