"""What an operator may change at run time: the stated numbers of polling, clocks, retries and checks."""

from datetime import timedelta
from typing import Any

from pabal.apps.rendering.model.nexstates import read_words
from pabal.apps.rendering.startup import read_variables
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

_QUEUE: Pair = ("Rendering: queue", "렌더링: 대기열")
_CLOCKS: Pair = ("Rendering: time limits", "렌더링: 시간 제한")
_FAULTS: Pair = ("Rendering: retries", "렌더링: 재시도")
_OUTPUT: Pair = ("Rendering: output", "렌더링: 출력")
_WORKERS: Pair = ("Rendering: workers", "렌더링: 워커")
_SECONDS = timedelta(seconds=1)
_MINUTES = timedelta(minutes=1)
_GIVEN = read_variables()

POLL_DEFAULT = Setting(
    key="rendering.poll_interval_default",
    default=_GIVEN.poll_interval_default * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("Poll at first every", "처음 폴링 간격"),
    help=(
        "How often a slot looks for work by itself. A new job wakes it at once in any case.",
        "슬롯이 스스로 작업을 찾아보는 간격입니다. 새 작업이 들어오면 바로 깨어납니다.",
    ),
    group=_QUEUE,
    seed="10초",
    requirement="B-04",
)
POLL_BUSY = Setting(
    key="rendering.poll_interval_busy",
    default=5 * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("Poll after a job every", "작업이 있을 때 폴링 간격"),
    help=("While a look finds work.", "찾아볼 때마다 작업이 있는 동안의 간격입니다."),
    group=_QUEUE,
    seed="5초",
    requirement="B-84",
)
POLL_IDLE = Setting(
    key="rendering.poll_interval_idle",
    default=_GIVEN.poll_interval_idle * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("Poll when idle every", "한가할 때 폴링 간격"),
    help=("After several looks in a row that found nothing.", "여러 번 찾아봐도 작업이 없을 때의 간격입니다."),
    group=_QUEUE,
    seed="30초",
    requirement="B-27",
)
POLL_EMPTIES = Setting(
    key="rendering.poll_empties",
    default=10,
    least=1,
    most=1000,
    label=("Idle after empty polls", "한가함으로 보는 빈 폴링 횟수"),
    help=("So many looks in a row without work.", "작업 없이 연달아 이만큼 찾아보면 한가한 것으로 봅니다."),
    group=_QUEUE,
    seed="연속 10회",
    requirement="B-84",
)
LICENCES = Setting(
    key="rendering.licences",
    default=0,
    least=0,
    most=1000,
    label=("After Effects licences", "After Effects 라이선스 수"),
    help=(
        "So many render at once over all servers. 0: as many as there are slots.",
        "모든 서버를 합쳐 동시에 렌더링하는 수입니다. 0이면 슬롯 수만큼입니다.",
    ),
    group=_WORKERS,
    requirement="B-90",
)
LOCK = Setting(
    key="rendering.lock",
    default=30 * _MINUTES,
    least=1 * _MINUTES,
    most=timedelta(days=1),
    label=("Lock of a job", "작업 잠금 시간"),
    help=(
        "How long a claim lasts without a sign of life. It is renewed all the time while the worker lives.",
        "워커가 소식 없이 작업을 붙들 수 있는 시간입니다. 살아 있는 동안 계속 갱신됩니다.",
    ),
    group=_WORKERS,
    seed="30분",
    requirement="B-30",
)
HEARTBEAT = Setting(
    key="rendering.heartbeat",
    default=30 * _SECONDS,
    least=1 * _SECONDS,
    most=5 * _MINUTES,
    label=("Renew the lock every", "잠금 갱신 간격"),
    help=("Besides at every change of state.", "상태가 바뀔 때도 갱신합니다."),
    group=_WORKERS,
    requirement="B-81",
)
RECOVERY_EVERY = Setting(
    key="rendering.recovery_every",
    default=10 * _MINUTES,
    least=10 * _SECONDS,
    most=timedelta(hours=6),
    label=("Look for lost jobs every", "버려진 작업 점검 간격"),
    help=(
        "Jobs whose lock has ended go back into the queue. A server that dies is noticed within seconds besides.",
        "잠금이 끝난 작업을 대기열로 돌려놓습니다. 서버가 죽으면 몇 초 안에 따로 알아챕니다.",
    ),
    group=_WORKERS,
    seed="10분",
    requirement="B-78",
)
MAX_RECOVERIES = Setting(
    key="rendering.max_recoveries",
    default=3,
    least=0,
    most=100,
    label=("Most recoveries", "최대 복구 횟수"),
    help=(
        "A job that lost its worker more often is parked as failed (poison_job).",
        "워커를 이보다 자주 잃은 작업은 실패(poison_job)로 세워 둡니다.",
    ),
    group=_FAULTS,
    requirement="B-83",
)
FOLLOW_EVERY = Setting(
    key="rendering.follow_every",
    default=5 * _SECONDS,
    least=timedelta(milliseconds=100),
    most=1 * _MINUTES,
    label=("Ask nexrender every", "nexrender 확인 간격"),
    help=(
        "For progress; near the expected end it is asked earlier.",
        "진행률을 묻는 간격입니다. 끝날 무렵에는 더 일찍 묻습니다.",
    ),
    group=_QUEUE,
    seed="5초",
    requirement="B-46",
)
STATE_WORDS = Setting(
    key="rendering.nexrender_states",
    default="",
    label=("States of nexrender", "nexrender 상태 이름"),
    help=(
        "Only for servers with states of their own: `state=phase` separated by commas; phases are queued, picked, "
        "rendering, encoding, finished and error.",
        "상태 이름이 다른 서버에서만 적습니다. `상태=단계`를 쉼표로 나누고, 단계는 queued, picked, rendering, "
        "encoding, finished, error입니다.",
    ),
    group=_QUEUE,
    requirement="B-48",
    check=read_words,
)
RENDER_TIMEOUT = Setting(
    key="rendering.render_timeout",
    default=1800 * _SECONDS,
    least=10 * _SECONDS,
    most=timedelta(days=1),
    label=("Most time for a render", "렌더링 최대 시간"),
    help=(
        "Counted from nexrender's start. After that it is taken away and rendered again.",
        "nexrender가 시작한 때부터 셉니다. 지나면 거두고 다시 렌더링합니다.",
    ),
    group=_CLOCKS,
    seed="30분",
    requirement="B-72",
)
TIMEOUT_RETRIES = Setting(
    key="rendering.timeout_retries",
    default=2,
    least=0,
    most=20,
    label=("Renders again after a timeout", "시간 초과 후 재시도"),
    help=("Then it has failed.", "그 뒤에는 실패로 끝납니다."),
    group=_FAULTS,
    seed="최대 2회",
    requirement="B-72",
)
STALL_TIMEOUT = Setting(
    key="rendering.stall_timeout",
    default=1800 * _SECONDS,
    least=10 * _SECONDS,
    most=timedelta(days=1),
    label=("Most time without progress", "진행 없이 기다리는 시간"),
    help=("Then it is taken away and rendered again.", "지나면 거두고 다시 렌더링합니다."),
    group=_CLOCKS,
    seed="30분",
    requirement="B-50",
)
SLOW_ALERT = Setting(
    key="rendering.slow_alert",
    default=300 * _SECONDS,
    least=10 * _SECONDS,
    most=timedelta(days=1),
    label=("Slow after", "느림 알림 기준"),
    help=("Only an alert: the render goes on.", "알림만 보내고 렌더링은 계속합니다."),
    group=_CLOCKS,
    seed="300초",
    requirement="B-94",
)
QUEUE_ALERT = Setting(
    key="rendering.nexrender_queue_alert",
    default=300 * _SECONDS,
    least=10 * _SECONDS,
    most=timedelta(days=1),
    label=("Waiting in nexrender's queue", "nexrender 대기 알림 기준"),
    help=(
        "A job that nexrender has not begun for so long: its worker does not run, or is busy with others.",
        "nexrender가 이 시간 동안 시작하지 않으면 알립니다. 렌더 워커가 꺼졌거나 바쁜 것입니다.",
    ),
    group=_CLOCKS,
)
FORGOTTEN_WAIT = Setting(
    key="rendering.forgotten_wait",
    default=120 * _SECONDS,
    least=timedelta(0),
    most=timedelta(hours=6),
    label=("Wait for a forgotten job", "잃어버린 작업을 기다리는 시간"),
    help=(
        "nexrender may forget a job that After Effects still renders. Its file is waited for so long, then it is "
        "rendered again.",
        "nexrender가 작업을 잃어도 After Effects는 계속 렌더링할 수 있습니다. 이만큼 파일을 기다립니다.",
    ),
    group=_CLOCKS,
)
RETRIES = Setting(
    key="rendering.max_retries",
    default=_GIVEN.max_retries,
    least=0,
    most=20,
    label=("Retries while nexrender is away", "nexrender 연결 재시도 횟수"),
    help=("After the first try.", "첫 시도 뒤에 다시 시도하는 횟수입니다."),
    group=_FAULTS,
    seed="최대 3회",
    requirement="B-70",
)
RETRY_DELAY = Setting(
    key="rendering.base_retry_delay",
    default=_GIVEN.base_retry_delay * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("First wait for nexrender", "nexrender 첫 재시도 대기"),
    help=("Then twice as long each time: 60, 120, 240 s.", "그다음은 매번 두 배입니다: 60, 120, 240초."),
    group=_FAULTS,
    seed="60초",
    requirement="B-76",
)
NAS_RETRIES = Setting(
    key="rendering.nas_retries",
    default=3,
    least=0,
    most=20,
    label=("Retries while the NAS is away", "NAS 재시도 횟수"),
    help=("After the first try.", "첫 시도 뒤에 다시 시도하는 횟수입니다."),
    group=_FAULTS,
    seed="최대 3회",
    requirement="B-74",
)
NAS_DELAY = Setting(
    key="rendering.nas_retry_delay",
    default=30 * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("Wait for the NAS", "NAS 재시도 간격"),
    help=("Between two tries.", "시도 사이의 간격입니다."),
    group=_FAULTS,
    seed="30초",
    requirement="B-74",
)
CHECKS = Setting(
    key="rendering.output_checks",
    default=3,
    least=1,
    most=20,
    label=("Checks of an output file", "출력 파일 확인 횟수"),
    help=("Then the render has failed.", "그래도 안 되면 실패로 끝납니다."),
    group=_OUTPUT,
    seed="3회",
    requirement="B-56",
)
CHECK_DELAY = Setting(
    key="rendering.output_check_delay",
    default=60 * _SECONDS,
    least=1 * _SECONDS,
    most=timedelta(hours=1),
    label=("Between two checks", "확인 사이 간격"),
    help=("A file may still be on its way.", "파일이 아직 쓰이는 중일 수 있습니다."),
    group=_OUTPUT,
    seed="60초",
    requirement="B-75",
)
LEAST_BYTES = Setting(
    key="rendering.least_output_bytes",
    default=100 * 1024,
    least=0,
    most=1024**3,
    label=("Smallest output file", "출력 파일 최소 크기"),
    help=("A smaller file is no film.", "이보다 작은 파일은 영상으로 보지 않습니다."),
    group=_OUTPUT,
    unit=("bytes", "바이트"),
    seed="100KB",
    requirement="B-53",
)
PATH_TEMPLATE = Setting(
    key="rendering.output_path_template",
    default="{broadcast_date}/{composition_name}_{id}.mp4",
    label=("Name of a finished film", "완성 파일 경로"),
    help=(
        "Below the NAS folder. {broadcast_date}, {composition_name} and {id} are filled in.",
        "NAS 폴더 아래 경로입니다. {broadcast_date}, {composition_name}, {id}를 채웁니다.",
    ),
    group=_OUTPUT,
    seed="{broadcast_date}\\{composition_name}_{render_queue_id}.mp4",
    requirement="B-58",
)
TEMPLATE_CACHE = Setting(
    key="rendering.template_cache",
    default=timedelta(hours=1),
    least=timedelta(0),
    most=timedelta(days=1),
    label=("Remember templates for", "템플릿 캐시 시간"),
    help=(
        "Paths, mappings and compositions. A change in the console counts at once.",
        "경로, 매핑, 컴포지션을 기억하는 시간입니다. 콘솔에서 바꾸면 바로 적용됩니다.",
    ),
    group=_QUEUE,
    seed="1시간",
    requirement="B-86",
)
TEMPLATE_FAILURES = Setting(
    key="rendering.template_failures",
    default=3,
    least=1,
    most=100,
    label=("Failures before a slot is spared a template", "템플릿별 연속 실패 한도"),
    help=(
        "A slot that fails a template so often in a row does not get it any more, until somebody resumes it.",
        "한 슬롯이 같은 템플릿에 연달아 이만큼 실패하면, 다시 켤 때까지 그 템플릿을 맡기지 않습니다.",
    ),
    group=_WORKERS,
)
KEEP = Setting(
    key="rendering.keep_renders",
    default=timedelta(days=90),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep ended jobs for", "끝난 작업 보관 기간"),
    help=(
        "Older ones are deleted; films on the NAS stay.",
        "이보다 오래된 작업은 지웁니다. NAS의 영상은 그대로 둡니다.",
    ),
    group=_QUEUE,
)

ALL: tuple[Setting[Any], ...] = (
    POLL_DEFAULT,
    POLL_BUSY,
    POLL_IDLE,
    POLL_EMPTIES,
    LICENCES,
    LOCK,
    HEARTBEAT,
    RECOVERY_EVERY,
    MAX_RECOVERIES,
    FOLLOW_EVERY,
    STATE_WORDS,
    RENDER_TIMEOUT,
    TIMEOUT_RETRIES,
    STALL_TIMEOUT,
    SLOW_ALERT,
    QUEUE_ALERT,
    FORGOTTEN_WAIT,
    RETRIES,
    RETRY_DELAY,
    NAS_RETRIES,
    NAS_DELAY,
    CHECKS,
    CHECK_DELAY,
    LEAST_BYTES,
    PATH_TEMPLATE,
    TEMPLATE_CACHE,
    TEMPLATE_FAILURES,
    KEEP,
)
