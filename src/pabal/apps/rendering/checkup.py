"""What `pabal doctor` says of a render worker: whether its nexrender answers, and whether its folders can be used."""

from pabal.apps.rendering.farm import Farm, make_farm
from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused, NotLocal
from pabal.apps.rendering.places import examine_places
from pabal.apps.rendering.startup import RenderingStartup
from pabal.base.settings import SettingsInvalid, read_app_settings
from pabal.platform.language.pairs import Pair
from pabal.platform.slice import Examined

_NEXRENDER: Pair = (
    "Start nexrender's server, or correct NEXRENDER_API_URL and its secret. Renders go on by themselves then.",
    "nexrender 서버를 켜거나 NEXRENDER_API_URL과 비밀값을 고치세요. 그러면 렌더가 스스로 이어집니다.",
)
_NAS: Pair = (
    "Mount it where NAS_MOUNT_PATH says, with an account that may write there (mount, df -h).",
    "NAS_MOUNT_PATH에 쓰기 권한이 있는 계정으로 마운트하세요(mount, df -h).",
)
_OUTPUT: Pair = (
    "Mount the folder nexrender writes films to, and name it in PABAL_RENDERING_PATHS.",
    "nexrender가 영상을 쓰는 폴더를 마운트하고 PABAL_RENDERING_PATHS에 적으세요.",
)
_SETTINGS: Pair = ("Correct the variables of rendering.", "렌더링의 환경 변수를 고치세요.")


async def examine_worker() -> list[Examined]:
    """Nothing where this environment has no nexrender: then nothing is rendered here."""
    try:
        startup = read_app_settings(RenderingStartup)
    except SettingsInvalid as error:
        return [Examined("rendering", "fail", str(error), _SETTINGS)]
    if not startup.nexrender_url:
        return []
    farm = make_farm(startup)
    try:
        return [await _ask_nexrender(farm), *await _look_at_folders(farm)]
    finally:
        await farm.client.close()


async def _ask_nexrender(farm: Farm) -> Examined:
    try:
        took = await farm.client.health()
    except (NexrenderAway, NexrenderRefused, NotLocal) as error:
        return Examined("nexrender", "fail", f"{farm.startup.nexrender_url}: {error.detail}", _NEXRENDER)
    return Examined("nexrender", "ok", f"{farm.startup.nexrender_url}, {took:.0f} ms", _NEXRENDER)


async def _look_at_folders(farm: Farm) -> list[Examined]:
    places = [("nas", "", str(farm.nas)), ("output", "", farm.startup.output_dir)]
    mends = {"nas": _NAS, "output": _OUTPUT}
    return [
        Examined(one.kind, "ok" if one.is_well else "fail", one.seen.server or one.seen.asked, mends[one.kind])
        for one in await examine_places(places, farm)
    ]
