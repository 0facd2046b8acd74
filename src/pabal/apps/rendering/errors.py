"""What can go wrong in rendering, in words for those who must act on it."""

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.platform.findings import FieldsRefused


class RenderNotFound(NotFound, code="render_not_found"):
    """There is no such render job, or it is not yours to see."""


class SlotNotFound(NotFound, code="render_slot_not_found"):
    """There is no such render slot."""


class CompositionNotFound(NotFound, code="composition_not_found"):
    """There is no such composition, or it is not yours to see."""


class CompositionTaken(Conflict, code="composition_taken"):
    """There is a composition of this id in another organisation unit. Choose another id."""


class RenderRefused(FieldsRefused, code="render_refused"):
    """This cannot be rendered as it is. Everything that is wrong is said beside its field."""


class ImportRefused(FieldsRefused, code="mapping_refused"):
    """This file cannot be taken in. Every mistake is named with its line."""


class NothingToTest(Invalid, code="no_sample_data"):
    """There is no sample data for this composition. Send the data to try."""


class BadRender(Invalid, code="bad_render"):
    """A render job names a composition, its data as a JSON object of at most 256 KB, and a broadcast date."""


class TooManyRenders(Invalid, code="too_many_renders"):
    """Ask for at most 500 renders at once."""


class NothingToCancel(Conflict, code="render_ended"):
    """This render job has ended; there is nothing to cancel."""


class NothingToRetry(Conflict, code="render_not_ended"):
    """Only a failed or cancelled render job can be retried."""


class StillWindingDown(Conflict, code="render_winding_down"):
    """After Effects still renders the job that was called off. It can be retried as soon as that has ended."""


class NoFileToUse(Conflict, code="render_has_no_file"):
    """There is no rendered file to begin with. Retry the whole job."""


class NoFilm(NotFound, code="render_film_not_found"):
    """There is no finished film of this render job here."""


class NotStuck(Conflict, code="render_not_stuck"):
    """No worker holds this render job, so there is nothing to release."""


class SlotBusyWith(Conflict, code="render_slot_state"):
    """The slot is in this state already."""


class BadPriority(Invalid, code="bad_render_priority"):
    """A priority is urgent, high, normal or low."""


KO: dict[str, str] = {
    "render_not_found": "그런 렌더 작업이 없거나 볼 권한이 없습니다.",
    "render_slot_not_found": "그런 렌더 슬롯이 없습니다.",
    "composition_not_found": "그런 컴포지션이 없거나 볼 권한이 없습니다.",
    "composition_taken": "다른 조직에 같은 ID의 컴포지션이 있습니다. 다른 ID를 쓰세요.",
    "render_refused": "이대로는 렌더링할 수 없습니다. 각 항목 옆에 문제를 모두 적었습니다.",
    "mapping_refused": "이 파일을 가져올 수 없습니다. 고칠 곳을 줄 번호와 함께 모두 적었습니다.",
    "no_sample_data": "이 컴포지션에는 샘플 데이터가 없습니다. 시험할 데이터를 보내세요.",
    "bad_render": "렌더 작업에는 컴포지션, 256KB 이하의 JSON 데이터, 방송일이 필요합니다.",
    "too_many_renders": "한 번에 500개까지 요청할 수 있습니다.",
    "render_ended": "이미 끝난 작업이라 취소할 수 없습니다.",
    "render_not_ended": "실패했거나 취소된 작업만 다시 시도할 수 있습니다.",
    "render_winding_down": "거둔 작업을 After Effects가 아직 렌더링하고 있습니다. 끝나면 다시 시도할 수 있습니다.",
    "render_has_no_file": "렌더링된 파일이 없습니다. 처음부터 다시 시도하세요.",
    "render_film_not_found": "이 렌더 작업의 완성된 영상을 여기서 찾을 수 없습니다.",
    "render_not_stuck": "어떤 워커도 이 작업을 붙들고 있지 않아 풀 것이 없습니다.",
    "render_slot_state": "슬롯이 이미 그 상태입니다.",
    "bad_render_priority": "우선순위는 urgent, high, normal, low 가운데 하나입니다.",
    "nexrender_unreachable": "nexrender에 연결할 수 없거나 제때 응답하지 않습니다. 켜면 렌더는 저절로 이어집니다.",
    "nexrender_refused": "nexrender가 요청을 거절했습니다. 거절한 이유를 함께 적었습니다.",
    "nexrender_not_local": "nexrender 주소가 허용된 네트워크(PABAL_RENDERING_NEXRENDER_NETWORKS) 안에 있지 않습니다.",
    "bad_state_words": (
        "nexrender의 상태는 상태=단계 꼴로 쉼표로 나누어 적습니다. "
        "단계는 queued, picked, rendering, encoding, finished, error입니다."
    ),
    "cannot_read_file": "파일을 읽을 수 없습니다. 2MB 이하의 텍스트 파일을 정하거나, 표준 입력은 -로 적으세요.",
    "mapping_file_too_large": "매핑 파일은 UTF-8 텍스트로 2MB까지입니다.",
    "bad_slot_hours": "근무 시간은 요일(1=월 ~ 7=일), 09:00 같은 시각 둘, Asia/Seoul 같은 시간대로 적습니다.",
}
