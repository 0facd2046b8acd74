"""What is measured about the relay every quarter of a minute, and the rules that call somebody."""

from datetime import timedelta

from pabal.apps.relay.model.messages import AREA
from pabal.apps.relay.store import live
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import AlertRule, Level, Measure, Reading

WITHIN = timedelta(minutes=10)


async def read_unread(tx: Tx) -> list[Reading]:
    return await alerts.read_by_unit(tx, UNREAD, await live.read_oldest_unread(tx))


async def read_failed(tx: Tx) -> list[Reading]:
    return await alerts.read_by_unit(tx, FAILED, await live.count_failed(tx, tx.now - WITHIN))


async def read_asleep(tx: Tx) -> list[Reading]:
    return await alerts.read_by_unit(tx, ASLEEP, await live.count_asleep(tx))


async def read_guessing(tx: Tx) -> float:
    """Strangers belong to no unit, so this is the house's."""
    return await live.count_guessing(tx)


UNREAD, FAILED, ASLEEP, GUESSING = "relay.oldest_unread", "relay.failed_callbacks", "relay.asleep", "relay.guessing"
MEASURES = (
    Measure(UNREAD, ("Oldest relayed message nobody has read", "가장 오래 안 읽은 중계 메시지"), read_unread, "s"),
    Measure(FAILED, ("Failed callbacks in 10 minutes", "10분 동안 실패한 콜백"), read_failed),
    Measure(ASLEEP, ("Relay accounts asleep while users write", "메시지를 읽지 않는 중계 계정"), read_asleep),
    Measure(GUESSING, ("Users paused for wrong pairing codes", "코드를 틀려 잠시 막힌 사용자"), read_guessing),
)
_UNREAD, _FAILED, _ASLEEP, _GUESSING = MEASURES
RULES = (
    AlertRule(
        name=UNREAD,
        label=("Relayed messages are not read", "중계 메시지를 읽어 가지 않음"),
        measure=_UNREAD,
        beyond="above",
        threshold=30,
        held_for=timedelta(0),
        level=Level.FAILURE,
        advice=(
            "Kakao takes an answer for a minute only. Check that the instances run and read fast enough.",
            "카카오는 1분 안에 온 답만 받습니다. 인스턴스가 켜져 있고 제때 읽어 가는지 확인하세요.",
        ),
        area=AREA,
        href="/relay?state=queued",
    ),
    AlertRule(
        name=FAILED,
        label=("Callbacks to Kakao fail", "카카오 콜백 실패"),
        measure=_FAILED,
        beyond="above",
        threshold=0,
        held_for=timedelta(minutes=1),
        level=Level.FAILURE,
        advice=(
            "Each failed message says why. Check that the servers reach Kakao and that the block uses callbacks.",
            "실패한 메시지마다 사유가 있습니다. 카카오에 연결되는지, 블록의 콜백 사용이 켜져 있는지 확인하세요.",
        ),
        area=AREA,
        href="/relay?state=failed",
    ),
    AlertRule(
        name=ASLEEP,
        label=("A relay account does not read", "중계 계정이 메시지를 읽지 않음"),
        measure=_ASLEEP,
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "Users were told that nobody is there. Start the instance, or check its address and token.",
            "사용자에게 지금 답할 수 없다고 안내했습니다. 인스턴스를 켜거나 주소와 토큰을 확인하세요.",
        ),
        area=AREA,
        href="/relay/accounts",
    ),
    AlertRule(
        name=GUESSING,
        label=("Pairing codes are guessed at", "페어링 코드를 추측함"),
        measure=_GUESSING,
        beyond="above",
        threshold=0,
        held_for=timedelta(0),
        level=Level.ATTENTION,
        advice=(
            "Somebody sent wrong codes again and again. Block the user if it goes on.",
            "틀린 코드를 여러 번 보낸 사용자가 있습니다. 계속되면 차단하세요.",
        ),
        area=AREA,
        href="/relay/pairing",
    ),
)
