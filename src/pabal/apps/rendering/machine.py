"""The life of a render: eight states, and every way from one to another."""

from enum import StrEnum

from pabal.apps.rendering.model.renders import OPEN, RENDER_ABOUT, WORKING, RenderState
from pabal.engine.machine import Machine, move


class RenderEvent(StrEnum):
    CLAIM = "claim"
    SUBMIT = "submit"
    ENCODE = "encode"
    UPLOAD = "upload"
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"
    RETRY = "retry"
    REQUEUE = "requeue"
    RELEASE = "release"


_S, _E = RenderState, RenderEvent
RENDER = Machine(
    name=RENDER_ABOUT,
    table="rendering.render",
    states=RenderState,
    initial=_S.PENDING,
    final=(_S.COMPLETED,),
    moves=(
        move(_E.CLAIM, _S.PENDING, _S.PREPARING),
        # nexrender has it; or it was found there, or it is rendered again
        move(_E.SUBMIT, _S.PREPARING, _S.RENDERING),
        move(_E.ENCODE, _S.RENDERING, _S.ENCODING),
        # from preparing: the file was rendered by an attempt before
        move(_E.UPLOAD, (_S.PREPARING, _S.RENDERING, _S.ENCODING), _S.UPLOADING),
        move(_E.COMPLETE, _S.UPLOADING, _S.COMPLETED),
        move(_E.FAIL, OPEN, _S.FAILED),
        move(_E.CANCEL, OPEN, _S.CANCELLED),
        move(_E.RETRY, (_S.FAILED, _S.CANCELLED), _S.PENDING),
        # its clock ran out: nexrender's job is taken away, and it is rendered again
        move(_E.REQUEUE, WORKING, _S.PENDING),
        # its worker is gone, its server stops, or a person took it from a slot
        move(_E.RELEASE, WORKING, _S.PENDING),
    ),
)
