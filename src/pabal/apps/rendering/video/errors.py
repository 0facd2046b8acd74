"""Why a rendered file cannot be used as a video."""

from enum import StrEnum

from pabal.base.errors import Invalid
from pabal.platform.language.pairs import Pair


class Unreadable(StrEnum):
    MISSING = "missing"
    NOT_A_VIDEO = "not_a_video"
    NO_VIDEO_STREAM = "no_video_stream"
    CUT_OFF = "cut_off"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    TOO_MUCH_MEMORY = "too_much_memory"
    CRASHED = "crashed"


class VideoUnreadable(Invalid, code="video_unreadable"):
    """The rendered file cannot be read as a video."""

    def __init__(self, reason: Unreadable, fact: str = "") -> None:
        self.reason, self.fact = reason, fact
        super().__init__(f"{reason}: {fact}" if fact else reason)


REASONS: dict[Unreadable, Pair] = {
    Unreadable.MISSING: ("There is no such file.", "파일이 없습니다."),
    Unreadable.NOT_A_VIDEO: ("It is no video file, or a damaged one.", "영상 파일이 아니거나 손상되었습니다."),
    Unreadable.NO_VIDEO_STREAM: ("It has no video stream.", "영상 스트림이 없습니다."),
    Unreadable.CUT_OFF: ("It ends too early.", "파일이 중간에서 끊겼습니다."),
    Unreadable.TOO_LARGE: ("Its picture is larger than can be read here.", "화면이 너무 커서 읽을 수 없습니다."),
    Unreadable.TOO_SLOW: ("Reading it took too long.", "읽는 데 너무 오래 걸렸습니다."),
    Unreadable.TOO_MUCH_MEMORY: ("Reading it took too much memory.", "읽는 데 메모리가 너무 많이 들었습니다."),
    Unreadable.CRASHED: ("The process that read it died.", "읽던 프로세스가 죽었습니다."),
}

KO: dict[str, str] = {"video_unreadable": "렌더링한 파일을 영상으로 읽을 수 없습니다."}
