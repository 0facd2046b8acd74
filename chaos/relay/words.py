"""What users and instances say: every sentence names who asked what, so that whoever sees it can tell whose it is."""

import re
from dataclasses import dataclass

_ANSWER = re.compile(r"answer to (user-\d+/\d+!?) by (account-\d+), part (\d)")
_FOREIGN = re.compile(r"foreign to user-\d+")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an instance of this account answered to these words."""

    asked: str
    account: str
    part: str

    @property
    def user(self) -> str:
        return user_of(self.asked)


def user_name(number: int) -> str:
    return f"user-{number + 1}"


def account_name(number: int) -> str:
    return f"account-{number + 1}"


def ask(user: str, number: int, *, is_last: bool = False) -> str:
    """No two are alike. The last one of a user is answered by everybody, and at once."""
    return f"{user}/{number}{'!' if is_last else ''}"


def user_of(asked: str) -> str:
    return asked.partition("/")[0]


def is_last(asked: str) -> bool:
    return asked.endswith("!")


def answer(asked: str, account: str, part: int = 1) -> str:
    return f"answer to {asked} by {account}, part {part}"


def answer_foreign(asked: str, account: str) -> str:
    """Of an account whose message it is not."""
    return f"foreign to {asked} by {account}"


def list_answers(text: str) -> list[Answer]:
    """One bubble may hold several."""
    return [Answer(*found) for found in _ANSWER.findall(text)]


def is_foreign(text: str) -> bool:
    return _FOREIGN.search(text) is not None
