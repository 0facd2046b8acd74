"""What people read for each state, stage, reason and verb of rendering: one table for every face."""

from pabal.apps.rendering.model.renders import Reason, Stage
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

STATUS: Words = {
    "render": {
        "pending": Status("wait", ("waiting", "대기")),
        "preparing": Status("work", ("preparing", "준비")),
        "rendering": Status("work", ("rendering", "렌더링")),
        "encoding": Status("work", ("encoding", "인코딩")),
        "uploading": Status("work", ("uploading", "업로드")),
        "completed": Status("good", ("completed", "완료")),
        "failed": Status("fail", ("failed", "실패")),
        "cancelled": Status("end", ("cancelled", "취소")),
    },
    "render_slot": {
        "idle": Status("wait", ("idle", "대기")),
        "busy": Status("work", ("rendering", "작업 중")),
        "paused": Status("attn", ("paused", "일시정지")),
        "draining": Status("attn", ("draining", "마무리 중")),
        "drained": Status("end", ("drained", "비움")),
        "off_hours": Status("end", ("off hours", "근무 시간 외")),
        "gone": Status("fail", ("not there", "연결 끊김")),
    },
}
NAMES: dict[str, Pair] = {"render": ("render jobs", "렌더 작업")}

STAGES: dict[Stage, Pair] = {
    Stage.PREPARE: ("Prepare", "준비"),
    Stage.SUBMIT: ("Hand over to nexrender", "nexrender에 전달"),
    Stage.QUEUE: ("Wait in nexrender", "nexrender 대기"),
    Stage.RENDER: ("Render", "렌더링"),
    Stage.ENCODE: ("Encode", "인코딩"),
    Stage.VALIDATE: ("Check the file", "파일 확인"),
    Stage.COPY: ("Copy to the NAS", "NAS 복사"),
    Stage.DONE: ("Done", "완료"),
}

REASONS: dict[Reason, Pair] = {
    Reason.PREFLIGHT_FAILED: ("The pre-flight check found something wrong.", "사전 점검에서 문제가 나왔습니다."),
    Reason.TEMPLATE_MISSING: ("The AEP template is not there.", "AEP 템플릿 파일이 없습니다."),
    Reason.TEMPLATE_UNUSABLE: ("The AEP template cannot be used.", "AEP 템플릿을 쓸 수 없습니다."),
    Reason.COMPOSITION_MISSING: ("The composition is not set up any more.", "컴포지션 설정이 없어졌습니다."),
    Reason.DATA_UNREADABLE: ("Its data cannot be read.", "작업 데이터를 읽을 수 없습니다."),
    Reason.NEXRENDER_UNREACHABLE: ("nexrender cannot be reached.", "nexrender에 연결할 수 없습니다."),
    Reason.NEXRENDER_REFUSED: ("nexrender refused the job.", "nexrender가 작업을 거부했습니다."),
    Reason.NEXRENDER_ERROR: (
        "After Effects or nexrender reported an error.",
        "After Effects 또는 nexrender에서 오류가 났습니다.",
    ),
    Reason.NEXRENDER_FORGOT: ("nexrender does not know the job any more.", "nexrender가 작업을 잃어버렸습니다."),
    Reason.RENDER_TIMEOUT: ("It rendered for too long.", "렌더링 시간이 초과됐습니다."),
    Reason.STALLED: ("There was no progress for too long.", "오랫동안 진행이 없었습니다."),
    Reason.OUTPUT_INVALID: ("The rendered file is not as it should be.", "렌더링된 파일이 올바르지 않습니다."),
    Reason.OUTPUT_MISSING: ("There is no rendered file.", "렌더링된 파일이 없습니다."),
    Reason.NAS_UNAVAILABLE: ("The NAS cannot be written to.", "NAS에 쓸 수 없습니다."),
    Reason.COPY_MISMATCH: ("The copy differs from the rendered file.", "복사본이 원본과 다릅니다."),
    Reason.POISON_JOB: ("Its worker was lost again and again.", "워커를 거듭 잃어 세워 두었습니다."),
    Reason.CANCELLED: ("Cancelled.", "취소했습니다."),
    Reason.UNEXPECTED: ("Something unexpected happened.", "예상하지 못한 문제가 생겼습니다."),
}

# what a render waits for, other than its turn
LIMITS: dict[str, Pair] = {
    "free_slot": ("No slot that may take it is free.", "맡을 수 있는 빈 슬롯이 없습니다."),
    "winding_down": ("It was cancelled and is being taken back.", "취소되어 거두는 중입니다."),
    "server_stops": ("Its server stopped; another one goes on.", "서버가 멈춰 다른 서버가 이어 갑니다."),
}

ACTIONS: dict[str, Pair] = {
    "render_request": ("asked for a render", "렌더 요청"),
    "render_cancel": ("cancelled a render job", "렌더 작업 취소"),
    "render_retry": ("retried a render job", "렌더 작업 재시도"),
    "render_release": ("released a stuck render job", "멈춘 렌더 작업 풀기"),
    "render_prioritize": ("changed the priority of a render job", "렌더 우선순위 변경"),
    "render_on_air": ("changed the on-air time of a render job", "렌더 방송 시각 변경"),
    "slot_pause": ("paused a render slot", "렌더 슬롯 일시정지"),
    "slot_resume": ("resumed a render slot", "렌더 슬롯 재개"),
    "slot_drain": ("drained a render slot", "렌더 슬롯 비우기"),
    "slot_hours": ("changed the hours of a render slot", "렌더 슬롯 근무 시간 변경"),
    "slot_look": ("asked a render slot to look now", "렌더 슬롯 바로 확인"),
    "slot_allow": ("gave a template back to a render slot", "렌더 슬롯에 템플릿 다시 허용"),
    "composition_put": ("saved a composition", "컴포지션 저장"),
    "cache_clear": ("cleared the template cache", "템플릿 캐시 비우기"),
    "composition_remove": ("removed a composition", "컴포지션 삭제"),
}
