"""What may be written and uploaded."""

from pabal.apps.messaging.settings.making import FORM, count

MAX_TEXT_LENGTH = count(
    "max_text_length",
    1000,
    ("Longest text", "글의 최대 길이"),
    (
        "Longer texts are refused. A room may have its own.",
        "이보다 긴 글은 저장하지 않습니다. 톡방마다 따로 정할 수 있습니다.",
    ),
    least=1,
    most=65_000,
    group=FORM,
    requirement="A-158",
)
WARN_TEXT_LENGTH = count(
    "warn_text_length",
    400,
    ("Length that warns", "길다고 알리는 길이"),
    ("From here on the form warns that the text is long.", "글이 이보다 길면 작성 화면이 알려 줍니다."),
    least=1,
    most=65_000,
    group=FORM,
    requirement="A-158",
)
SAME_TEXT_DAYS = count(
    "same_text_days",
    7,
    ("Days in which the same text warns", "같은 글을 알리는 기간"),
    (
        "Saving warns when the room gets the same text within so many days. 0 switches it off.",
        "같은 톡방에 같은 글이 이 기간 안에 있으면 저장할 때 알립니다. 0이면 끕니다.",
    ),
    most=365,
    unit=("days", "일"),
    group=FORM,
    requirement="A-04",
)
FOLD_LENGTH = count(
    "fold_length",
    500,
    ("Length that KakaoTalk folds", "카카오톡이 접는 길이"),
    ("The preview folds longer texts, as the app does (about).", "미리보기에서 이보다 긴 글을 접어 보여 줍니다(어림)."),
    least=50,
    most=10_000,
    group=FORM,
)
MAX_IMAGES_PER_GROUP = count(
    "max_images_per_group",
    10,
    ("Images in a group", "한 묶음의 그림 수"),
    ("Most images in one group.", "그림 묶음 하나에 넣을 수 있는 장수입니다."),
    least=1,
    most=30,
    group=FORM,
    seed="최대 10개",
    requirement="A-82",
)
MAX_IMAGES = count(
    "max_images",
    20,
    ("Images in a message", "한 메시지의 그림 수"),
    ("Most images in both groups together.", "두 묶음을 합쳐 넣을 수 있는 장수입니다."),
    least=1,
    most=60,
    group=FORM,
    requirement="A-82",
)
MAX_IMAGE_BYTES = count(
    "max_image_mb",
    10,
    ("Size of an image", "그림 한 장의 크기"),
    ("Larger images are refused.", "이보다 큰 그림은 받지 않습니다."),
    least=1,
    most=50,
    unit=("MB", "MB"),
    group=FORM,
    seed="최대 10MB",
    requirement="A-101",
)
