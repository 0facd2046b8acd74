"""Templates: a text and images to begin a schedule with. Those of units above may be used, not changed."""

from datetime import datetime

from pabal.apps.messaging.model.content import NewTemplate, Picture, Template
from pabal.apps.messaging.resources.images import ImageView, images_field, name_images, text_field, view_image
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, View, Viewer, ask, column, field

_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.templates", f"{_HERE}.store.templates", f"{_HERE}.cli.finding"
_FIELDS = f"{_HERE}.api.parts"
_COLUMNS = ("id", "name", "unit_name", "text", "pictures_1", "pictures_2", "schedules", "sends", "updated_at")


class MessageTemplateView(View):
    """`schedules` use it now; `sends` went out with it."""

    id: int = field(("No.", "번호"), example=5)
    unit_id: int = field(("Unit no.", "조직 번호"), example=3)
    unit_name: str = field(("Unit", "조직"), example="해운대점")
    name: str = field(("Name", "이름"), example="주말 행사")
    text: str | None = text_field()
    images_1: list[ImageView] = images_field(1)
    images_2: list[ImageView] = images_field(2)
    schedules: int = field(("Schedules", "쓰는 스케줄"), example=2)
    sends: int = field(("Sends", "발송 수"), example=14)
    created_by: str = field(("Made by", "만든 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))

    @column(("Images 1", "그림 1"))
    def pictures_1(self, _: Lang) -> str:
        return name_images(self.images_1)

    @column(("Images 2", "그림 2"))
    def pictures_2(self, _: Lang) -> str:
        return name_images(self.images_2)


def view_template(template: Template, viewer: Viewer) -> MessageTemplateView:
    groups = {name: [view_image(one) for one in getattr(template, name)] for name in ("images_1", "images_2")}
    return MessageTemplateView.of(template, **groups)


class MessageTemplateFilter(Filter):
    q: str | None = ask("A part of the name or the text.", option="--find", default=None)


class MessageTemplateNew(Ask):
    """Without a unit it belongs to yours."""

    name: str = ask("What it is called.", option="NAME", read=f"{_FIELDS}:Title", example="주말 행사")
    text: str | None = ask("The text.", read=f"{_FIELDS}:Prose", default=None)
    images_1: tuple[Picture, ...] = ask("Image group 1.", option="--images1", read=f"{_FIELDS}:Images", default=())
    images_2: tuple[Picture, ...] = ask("Image group 2.", option="--images2", read=f"{_FIELDS}:Images", default=())
    unit_id: int | None = ask("Whose it is.", option="--org", rules=ROW_ID, example=3, default=None)

    def arguments(self) -> dict[str, object]:
        return {"new": NewTemplate(self.name, self.text, self.images_1, self.images_2, self.unit_id)}


TEMPLATE = Noun(
    "template",
    "templates",
    "messaging",
    MessageTemplateView,
    view=f"{__name__}:view_template",
    find=f"{_STORE}:get_template",
    hold=f"{_STORE}:lock_template",
    named=f"{_FIND}:find_template",
    columns=(*_COLUMNS, "created_by", "created_at"),
    called="message_template",
    get_help="Shows one template.",
)
TEMPLATE.lists(
    "list_message_templates",
    "Lists the templates you may use, by name: your own, those below you and those of units above.",
    f"{_STORE}:list_templates",
    columns=_COLUMNS,
    empty=(
        "No templates yet: pabal msg template save NAME --text TEXT",
        "아직 템플릿이 없습니다: pabal msg template save 이름 --text 글",
    ),
    wanted=MessageTemplateFilter,
)
# saving from the command line uploads files: cli/template.py
TEMPLATE.verb("save", f"{_ACTIONS}:save", "Saves a new template.", MessageTemplateNew, makes=True, in_commands=False)
TEMPLATE.verb(
    "replace",
    f"{_ACTIONS}:edit",
    "Replaces a template. Schedules made from it keep what they have.",
    MessageTemplateNew,
    method="PUT",
    path="/templates/{id}",
    in_commands=False,
)
TEMPLATE.verb(
    "delete",
    f"{_ACTIONS}:delete",
    "Deletes a template. Schedules made from it stay as they are.",
    method="DELETE",
    answers_nothing=True,
    confirm=(
        "Delete template {which}? Schedules made from it stay.",
        "템플릿 {which}을(를) 지울까요? 이것으로 만든 스케줄은 그대로입니다.",
    ),
)
