"""What people read for each state, event, verb, condition and cause: one table for pages, command line and search."""

from pabal.apps.adgroups.legacy.model import Cause, Mark, Outcome, Refusal, RunState
from pabal.apps.adgroups.model.adgroups import CampaignState, Event, Source, State
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Look, Status, Words

STATES: dict[State, Pair] = {
    State.DRAFT: ("draft", "임시저장"),
    State.READY: ("ready", "준비완료"),
    State.APPROVED: ("approved", "승인완료"),
    State.RUNNING: ("running", "송출중"),
    State.PAUSED: ("paused", "일시중지"),
    State.PENDING: ("off-hours", "일별 대기"),
    State.EXPIRED: ("expired", "만료"),
    State.DELETED: ("deleted", "삭제됨"),
}
EVENTS: dict[Event, Pair] = {
    Event.COMPLETE_SETUP: ("complete setup", "설정 완료"),
    Event.APPROVE: ("approve", "승인"),
    Event.REJECT: ("reject", "반려"),
    Event.PAUSE: ("pause", "일시중지"),
    Event.RESUME: ("resume", "재개"),
    Event.DELETE: ("delete", "삭제"),
    Event.START: ("start", "송출 시작"),
    Event.EXPIRE: ("expire", "만료"),
    Event.DAILY_START: ("start of the day's hours", "일별 송출 시작"),
    Event.DAILY_END: ("end of the day's hours", "일별 송출 종료"),
}
CAMPAIGN_STATES: dict[CampaignState, Pair] = {
    CampaignState.PLANNED: ("planned", "예정"),
    CampaignState.OPEN: ("open", "열림"),
    CampaignState.CLOSED: ("closed", "닫힘"),
}
_LOOKS: dict[State, Look] = {
    State.DRAFT: "wait",
    State.READY: "wait",
    State.APPROVED: "wait",
    State.RUNNING: "work",
    State.PAUSED: "attn",
    State.PENDING: "wait",
    State.EXPIRED: "end",
    State.DELETED: "end",
}
_CAMPAIGN_LOOKS: dict[CampaignState, Look] = {
    CampaignState.PLANNED: "wait",
    CampaignState.OPEN: "work",
    CampaignState.CLOSED: "end",
}
_RUN_LOOKS: dict[RunState, Look] = {
    RunState.PLANNED: "wait",
    RunState.RUNNING: "work",
    RunState.DONE: "good",
    RunState.FAILED: "fail",
    RunState.ROLLING_BACK: "work",
    RunState.ROLLED_BACK: "end",
}
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
STATUS: Words = {
    "adgroup": {state: Status(_LOOKS[state], STATES[state]) for state in State},
    # the same under the seed's names
    "adgroup_status": {state.upper(): Status(_LOOKS[state], STATES[state]) for state in State},
    # events have a word, and no look of their own
    "adgroup_event": {
        "begin": Status("wait", ("made", "만듦")),
        **{event: Status("wait", EVENTS[event]) for event in Event},
    },
    "campaign": {state: Status(_CAMPAIGN_LOOKS[state], CAMPAIGN_STATES[state]) for state in CampaignState},
    "campaign_status": {
        state.upper(): Status(_CAMPAIGN_LOOKS[state], CAMPAIGN_STATES[state]) for state in CampaignState
    },
    "adgroup_run": {state: Status(_RUN_LOOKS[state], RUN_STATES[state]) for state in RunState},
}

# what its machine is about
NAMES: dict[str, Pair] = {"adgroup": ("ad groups", "광고그룹")}

# what the audit calls its verbs
ACTIONS: dict[str, Pair] = {
    "create": ("made an ad group", "광고그룹을 만듦"),
    "edit": ("changed an ad group", "광고그룹을 고침"),
    "complete_setup": ("completed the setup", "설정을 마침"),
    "approve": ("approved", "승인함"),
    "reject": ("rejected", "반려함"),
    "pause": ("paused", "일시중지함"),
    "resume": ("resumed", "재개함"),
    "delete": ("deleted", "삭제함"),
    "start": ("fired the start", "시작을 직접 보냄"),
    "expire": ("fired the expiry", "만료를 직접 보냄"),
    "daily_start": ("fired the start of the day's hours", "일별 시작을 직접 보냄"),
    "daily_end": ("fired the end of the day's hours", "일별 종료를 직접 보냄"),
    "move_event": ("moved a delayed event", "지연 이벤트를 옮김"),
    "add_creative": ("added a creative", "소재를 넣음"),
    "remove_creative": ("removed a creative", "소재를 뺌"),
    "set_inventory": ("set the inventory", "인벤토리를 정함"),
    "create_campaign": ("made a campaign", "캠페인을 만듦"),
    "edit_campaign": ("changed a campaign", "캠페인을 고침"),
    "add_inventory": ("added inventory", "인벤토리를 더함"),
    "set_flag": ("chose whose state is shown", "보여 줄 상태를 정함"),
    "clear_flag": ("took a flag out", "플래그를 뺌"),
    "plan_migration": ("tried a migration", "전환을 미리 해 봄"),
    "start_migration": ("started a migration", "전환을 시작함"),
    "resume_migration": ("resumed a migration", "전환을 이어 함"),
    "roll_back_migration": ("took a migration back", "전환을 되돌림"),
    "discard_migration": ("discarded a plan", "전환 계획을 버림"),
    "check_serving": ("checked what ad servers read", "광고 서버용 데이터를 점검함"),
    "rebuild_serving": ("rebuilt what ad servers read", "광고 서버용 데이터를 새로 만듦"),
}

# why an event is refused or a condition fails, by its code; values in braces
CONDITIONS: dict[str, tuple[Pair, Pair]] = {
    # code: what holds, what does not
    "has_creatives": (("it has {creatives} creative(s)", "소재 {creatives}개"), ("it has no creative", "소재가 없음")),
    "has_inventory": (
        ("it has {inventories} place(s) to be shown", "인벤토리 {inventories}개"),
        ("it has no inventory", "인벤토리가 없음"),
    ),
    "campaign_is_open": (("its campaign is open", "캠페인이 열려 있음"), ("its campaign is closed", "캠페인이 닫힘")),
    "campaign_lasts": (
        ("its campaign has not ended", "캠페인이 끝나지 않음"),
        ("its campaign ended {campaign_end_at}", "캠페인이 {campaign_end_at}에 끝남"),
    ),
    "has_not_ended": (
        ("now {now} < end {end_at}", "지금 {now} < 종료 {end_at}"),
        ("now {now} ≥ end {end_at}", "지금 {now} ≥ 종료 {end_at}"),
    ),
    "has_ended": (
        ("now {now} ≥ end {end_at}", "지금 {now} ≥ 종료 {end_at}"),
        ("now {now} < end {end_at}", "지금 {now} < 종료 {end_at}"),
    ),
    "has_begun": (
        ("now {now} ≥ start {start_at}", "지금 {now} ≥ 시작 {start_at}"),
        ("now {now} < start {start_at}", "지금 {now} < 시작 {start_at}"),
    ),
    "is_in_hours": (
        ("now {now} is inside its hours", "지금 {now}: 시간대 안"),
        ("now {now} is outside its hours, until {next_start_at}", "지금 {now}: 시간대 밖, {next_start_at}까지"),
    ),
    "is_off_hours": (
        ("now {now} is outside its hours", "지금 {now}: 시간대 밖"),
        ("now {now} is inside its hours, until {next_end_at}", "지금 {now}: 시간대 안, {next_end_at}까지"),
    ),
    "is_not_paused": (("it is not paused", "멈춰 있지 않음"), ("it is paused already", "이미 멈춰 있음")),
    "is_not_over": (("it is not over", "끝나지 않음"), ("it is over", "이미 끝남")),
    "may_pause_early": (
        ("pausing before it runs is allowed (an extension)", "송출 전 일시중지 허용(확장)"),
        ("the seed's matrix lets only running ones be paused", "매트릭스대로 송출중일 때만 멈출 수 있음"),
    ),
    "may_do_it": (("you may do it", "권한 있음"), ("this needs the right to {right}", "{right} 권한이 필요함")),
    "move_not_allowed": (("", ""), ("in this state there is no such move", "이 상태에서는 할 수 없음")),
    "another_person": (("", ""), ("it takes another person's yes, too", "다른 사람의 승인도 필요함")),
    "not_found": (("", ""), ("there is no such ad group", "그런 광고그룹이 없음")),
}
