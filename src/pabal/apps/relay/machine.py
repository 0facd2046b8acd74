"""The two machines: what a conversation is paired with, and what becomes of a message."""

from enum import StrEnum

from pabal.apps.relay.model.messages import CONVERSATION_ABOUT, MESSAGE_ABOUT, OPEN, ConversationState, MessageState
from pabal.engine.machine import Machine, move


class ConversationEvent(StrEnum):
    ASK = "ask"
    PAIR = "pair"
    APPROVE = "approve"
    REJECT = "reject"
    UNPAIR = "unpair"
    MOVE = "move"
    BLOCK = "block"
    UNBLOCK = "unblock"


class MessageEvent(StrEnum):
    HAND_OUT = "hand_out"
    REPEAT = "repeat"
    ACK = "ack"
    EXPIRE = "expire"
    FAIL = "fail"


_C, _CE = ConversationState, ConversationEvent
CONVERSATION = Machine(
    name=CONVERSATION_ABOUT,
    table="relay.conversation",
    states=ConversationState,
    initial=_C.UNPAIRED,
    final=(),
    moves=(
        # the code was right, and the account's owner wants to be asked
        move(_CE.ASK, _C.UNPAIRED, _C.PENDING),
        move(_CE.PAIR, _C.UNPAIRED, _C.PAIRED),
        move(_CE.APPROVE, _C.PENDING, _C.PAIRED),
        move(_CE.REJECT, _C.PENDING, _C.UNPAIRED),
        move(_CE.UNPAIR, (_C.PAIRED, _C.PENDING), _C.UNPAIRED),
        # to another account
        move(_CE.MOVE, _C.PAIRED, _C.PAIRED),
        move(_CE.BLOCK, (_C.UNPAIRED, _C.PENDING, _C.PAIRED), _C.BLOCKED),
        move(_CE.UNBLOCK, _C.BLOCKED, _C.UNPAIRED),
    ),
)

_M, _ME = MessageState, MessageEvent
MESSAGE = Machine(
    name=MESSAGE_ABOUT,
    table="relay.message",
    states=MessageState,
    initial=_M.QUEUED,
    final=(_M.ACKED, _M.EXPIRED, _M.FAILED),
    moves=(
        move(_ME.HAND_OUT, _M.QUEUED, _M.DELIVERED),
        # handed out, not answered, and the visibility time is over
        move(_ME.REPEAT, _M.DELIVERED, _M.DELIVERED),
        # Kakao has the answer
        move(_ME.ACK, OPEN, _M.ACKED),
        move(_ME.EXPIRE, OPEN, _M.EXPIRED),
        move(_ME.FAIL, OPEN, _M.FAILED),
    ),
)
