"""What people write to our bot: handed to the apps that listen, in the name of whoever wrote it."""

from collections.abc import Awaitable, Callable, Sequence

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.actor import Actor
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.notifications.gateway import Update
from pabal.platform.notifications.linking import find_person
from pabal.platform.notifications.polling import Said

Listener = Callable[[Tx, Actor, str], Awaitable[Pair | None]]


async def hear(tx: Tx, update: Update, *, listeners: Sequence[Listener]) -> Said:
    """The first that answers. Whoever is not linked hears nothing: a stranger learns nothing of who listens."""
    person = await find_person(tx, update.from_id)
    text = update.text.strip()
    if person is None or not text:
        return Said("")
    lang: Lang = "en" if person.language == "en" else "ko"
    try:
        async with tx.savepoint():
            for listener in listeners:
                answer = await listener(tx, person.actor("telegram"), text)
                if answer is not None:
                    return Said(put(lang, answer))
    except PabalError as error:
        return Said(explain(error, lang))
    return Said("")
