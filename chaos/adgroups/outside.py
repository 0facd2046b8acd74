"""Another system at the broker: it says pause and resume, some of it twice, some of it in the wrong order."""

import asyncio
import json
import random
from collections.abc import Sequence

from redis.asyncio import Redis

from chaos.history import History
from pabal.engine import ids

STREAM = "pabal.events"


class Outside:
    def __init__(self, redis: Redis, history: History, seed: int) -> None:
        self._redis, self._history = redis, history
        self._chance = random.Random(f"outside {seed}")
        self._count = 0
        self.said: set[str] = set()

    async def speak(self, ad_groups: Sequence[int], seconds: float, pause: float = 0.2) -> None:
        """Pairs of events about one ad group, shuffled and repeated; what was said is on disk before it is said."""
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            subject = ids.show("adg", self._chance.choice(ad_groups))
            said = [self._compose(name, subject) for name in ("adgroup.PAUSE", "adgroup.RESUME")]
            said += self._chance.choices(said, k=self._chance.choice((0, 1, 2)))
            self._chance.shuffle(said)
            for event in said:
                self._history.write("said", event=event)
                await self._redis.xadd(STREAM, {"__data__": json.dumps(event)})
            await asyncio.sleep(pause)

    def _compose(self, name: str, subject: str) -> dict[str, object]:
        """Its id is also its reason, by which the transition it led to is found."""
        self._count += 1
        name_of_it = f"out-{self._count}"
        self.said.add(name_of_it)
        return {"id": name_of_it, "name": name, "subject": subject, "data": {"reason": name_of_it}}
