"""The words of this room, for pages, command line and REST."""

from pabal.apps.adgroups.legacy.model import Cause, Mark, Outcome, Refusal, RunState
from pabal.apps.adgroups.model.adgroups import Source
from pabal.platform.language.pairs import Pair

SOURCES: dict[str, Pair] = {
    Source.MACHINE: ("stored state", "저장된 상태"),
    Source.CALCULATOR: ("calculated state", "계산한 상태"),
}
CAUSES: dict[str, Pair] = {
    Cause.DAILY_HOURS: ("its daily hours began or ended", "일별 시간이 시작되었거나 끝남"),
    Cause.START_MOMENT: ("its start has passed and was not worked off", "시작 시각이 지났지만 아직 시작되지 않음"),
    Cause.START_HELD: ("its start was taken out by hand", "시작을 사람이 보류함"),
    Cause.END_MOMENT: ("its end has passed and was not worked off", "종료 시각이 지났지만 아직 만료되지 않음"),
    Cause.PAUSED_BY_HAND: ("somebody paused it, which dates do not tell", "사람이 멈춤(날짜로는 알 수 없음)"),
    Cause.NEVER_APPROVED: ("its dates say it runs, but nobody approved it", "날짜로는 송출중이지만 승인된 적이 없음"),
    Cause.DATE_PASSED: ("its dates passed before it was approved", "승인되기 전에 기간이 지남"),
    Cause.DATES_CHANGED: ("its dates were changed after it had moved", "상태가 바뀐 뒤에 날짜가 바뀜"),
    Cause.DELETED_THERE: ("it was deleted in the old system", "예전 시스템에서 삭제됨"),
    Cause.UNKNOWN: ("unknown: look at its history", "알 수 없음: 이력을 보세요"),
}
MARKS: dict[str, Pair] = {
    Mark.RUNNING_UNCONFIRMED: ("running without confirmation", "확인 없이 송출중"),
    Mark.WAS_PAUSED: ("was paused (old PENDING)", "멈춰 있었음(예전 PENDING)"),
    Mark.STATUS_DIFFERS: ("old status differs from the calculated one", "예전 상태와 계산한 상태가 다름"),
    Mark.NAME_CUT: ("name cut to 200 signs", "이름을 200자로 줄임"),
    Mark.CREATIVES_NOT_LISTED: ("some creatives are no addresses", "주소가 아닌 소재가 있음"),
    Mark.BAD_INVENTORY: ("some inventory codes cannot be used", "쓸 수 없는 인벤토리 코드가 있음"),
}
REFUSALS: dict[str, Pair] = {
    Refusal.NO_ID: ("no id", "id 없음"),
    Refusal.DUPLICATE_ID: ("the id came before", "앞에 나온 id"),
    Refusal.NO_CAMPAIGN: ("no campaign", "캠페인 없음"),
    Refusal.NO_DATES: ("no start or no end", "시작이나 종료가 없음"),
    Refusal.BAD_MOMENT: ("a moment that cannot be read", "읽을 수 없는 시각"),
    Refusal.END_BEFORE_START: ("ends before it starts", "시작보다 이른 종료"),
    Refusal.BAD_HOURS: ("daily hours that cannot be read", "읽을 수 없는 일별 시간"),
    Refusal.BAD_ZONE: ("an unknown time zone", "알 수 없는 시간대"),
    Refusal.TAKEN: ("the id belongs to another organisation here", "다른 조직이 이미 쓰는 id"),
}
RUN_STATES: dict[str, Pair] = {
    RunState.PLANNED: ("planned", "계획됨"),
    RunState.RUNNING: ("running", "진행 중"),
    RunState.DONE: ("done", "끝남"),
    RunState.FAILED: ("stopped", "멈춤"),
    RunState.ROLLING_BACK: ("being taken back", "되돌리는 중"),
    RunState.ROLLED_BACK: ("taken back", "되돌림"),
}
OUTCOMES: dict[str, Pair] = {
    Outcome.MADE: ("made", "만듦"),
    Outcome.CHANGED: ("changed", "고침"),
    Outcome.SAME: ("same as before", "그대로"),
    Outcome.REFUSED: ("left where it is", "옮기지 않음"),
    Outcome.REMOVED: ("removed again", "다시 지움"),
    Outcome.RESTORED: ("restored", "되돌림"),
    Outcome.KEPT: ("kept: somebody changed it since", "남김: 그사이 누가 고침"),
}
