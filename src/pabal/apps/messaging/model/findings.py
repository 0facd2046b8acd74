"""What a check finds, as sentences: what is wrong, with its values, and what to do. Pure."""

from typing import Any

from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair, put


def find(code: str, field: str, **values: Any) -> Finding:
    return Finding(code, field, fill(SENTENCES[code], **values))


def fill(sentence: Pair, **values: Any) -> Pair:
    """Both languages with their values. A value that is a pair itself is taken in its language."""
    english, korean = ({name: _said(value, place) for name, value in values.items()} for place in (0, 1))
    return put("en", sentence, **english), put("ko", sentence, **korean)


def _said(value: Any, place: int) -> Any:
    return value[place] if isinstance(value, tuple) else value


PROBLEMS: dict[str, Pair] = {
    "title_missing": (
        "Give it a title: that is how others find it in the list.",
        "제목을 적어 주세요. 목록에서 이 제목으로 찾습니다.",
    ),
    "title_too_long": (
        "The title has {length} characters; at most {most} fit.",
        "제목이 {length}자입니다. {most}자까지 쓸 수 있습니다.",
    ),
    "description_too_long": (
        "The description has {length} characters; at most {most} fit.",
        "설명이 {length}자입니다. {most}자까지 쓸 수 있습니다.",
    ),
    "room_not_found": (
        "There is no such room, or it is not yours to see. Choose one from the list.",
        "그런 톡방이 없거나 볼 권한이 없습니다. 목록에서 골라 주세요.",
    ),
    "bot_not_found": (
        "There is no such bot, or it is not yours to use. Choose one that is in the room.",
        "그런 봇이 없거나 쓸 권한이 없습니다. 톡방에 있는 봇을 골라 주세요.",
    ),
    "bot_not_in_room": (
        "Bot '{bot}' is not in room '{room}'. Choose one that is: {bots}.",
        "봇 '{bot}'은(는) 톡방 '{room}'에 없습니다. 이 톡방에 있는 봇: {bots}.",
    ),
    "no_bot_in_room": (
        "No bot is in room '{room}' yet. Invite '{bot}' there; it is known here after the first message.",
        "톡방 '{room}'에 아직 봇이 없습니다. '{bot}'을(를) 초대하면 첫 메시지가 오갈 때 등록됩니다.",
    ),
    "unit_not_found": (
        "There is no such organisation unit, or it is not yours to see.",
        "그런 조직이 없거나 볼 권한이 없습니다.",
    ),
    "room_not_below_unit": (
        "Room '{room}' belongs neither to '{unit}' nor to a unit below it. Choose another room or owner.",
        "톡방 '{room}'은(는) '{unit}'이나 그 아래 조직의 것이 아닙니다. 톡방이나 소유 조직을 바꿔 주세요.",
    ),
    "template_not_found": (
        "There is no such template, or it is not yours to see. Choose another, or none.",
        "그런 템플릿이 없거나 볼 권한이 없습니다. 다른 것을 고르거나 비워 두세요.",
    ),
    "nothing_to_send": (
        "There is nothing to send. Write a text or add an image.",
        "보낼 것이 없습니다. 글을 쓰거나 그림을 넣으세요.",
    ),
    "images_only_without_images": (
        "'Images only' is chosen, but there is no image. Add one, or choose another order.",
        "'그림만 보내기'를 골랐지만 그림이 없습니다. 그림을 넣거나 순서를 바꾸세요.",
    ),
    "text_too_long": (
        "The text has {length} characters; {most} are allowed here. Take out {over}.",
        "글이 {length}자입니다. {most}자까지라 {over}자를 줄여야 합니다.",
    ),
    "too_many_images_in_group": (
        "This group has {count} images; at most {most} fit. Move or take out {over}.",
        "이 묶음에 그림이 {count}장 있습니다. {most}장까지라 {over}장을 옮기거나 빼야 합니다.",
    ),
    "too_many_images": (
        "Both groups have {count} images together; at most {most} fit. Take out {over}.",
        "두 묶음을 합쳐 그림이 {count}장입니다. {most}장까지라 {over}장을 빼야 합니다.",
    ),
    "image_not_found": (
        "Image '{name}' is no longer there, or not yours to see. Upload it again.",
        "그림 '{name}'이(가) 없거나 볼 권한이 없습니다. 다시 올려 주세요.",
    ),
    "image_format_refused": (
        "'{name}' is of type {media_type}. JPG, PNG and GIF can be sent: save it as one of them.",
        "'{name}'의 형식은 {media_type}입니다. JPG, PNG, GIF로 저장해 다시 올려 주세요.",
    ),
    "interval_out_of_range": (
        "The interval is {value} s; 0 to {most} are possible. 0 sends the next one at once.",
        "메시지 간격이 {value}초입니다. 0초부터 {most}초까지이고, 0이면 바로 이어서 보냅니다.",
    ),
    "media_wait_out_of_range": (
        "The wait is {value} ms; 0 to {most} are possible. 0 leaves it to the bot.",
        "대기 시간이 {value}ms입니다. 0부터 {most}까지이고, 0이면 봇 설정을 따릅니다.",
    ),
    "once_without_date": (
        "A one-time send needs its date.",
        "한 번 보내려면 날짜가 있어야 합니다.",
    ),
    "once_in_past": (
        "{at} has passed. Choose a later date or time.",
        "{at}은(는) 이미 지났습니다. 더 늦은 날짜나 시각을 골라 주세요.",
    ),
    "weekly_without_days": (
        "Choose at least one weekday.",
        "요일을 하나 이상 골라 주세요.",
    ),
    "weeks_out_of_range": (
        "Every {value} weeks is not possible; 1 to {most} are.",
        "{value}주마다는 정할 수 없습니다. 1주부터 {most}주까지입니다.",
    ),
    "too_many_times": (
        "{count} times a day; at most {most} are possible.",
        "하루 {count}번입니다. 최대 {most}번까지입니다.",
    ),
    "validity_ends_early": (
        "The validity ends ({until}) before it begins ({start}). Turn them around.",
        "유효기간의 끝({until})이 시작({start})보다 빠릅니다. 서로 바꿔 주세요.",
    ),
    "no_moment_ahead": (
        "It would never be sent: no moment lies between now and the end of the validity, {until}.",
        "지금부터 유효기간의 끝({until})까지 보낼 시각이 하나도 없어 한 번도 보내지 않습니다.",
    ),
    "outside_validity": (
        "{at} is outside the validity, {start} to {until}, so it would never be sent.",
        "{at}은(는) 유효기간({start} ~ {until}) 밖이라 보내지 않습니다.",
    ),
    "when_unreadable": (
        "This time cannot be read: {why}",
        "시각을 읽을 수 없습니다: {why}",
    ),
    "room_unclaimed": (
        "Nobody has claimed room '{room}', so nothing may be sent there. Claim it on the rooms page first.",
        "톡방 '{room}'은(는) 아직 맡은 조직이 없어 보낼 수 없습니다. 먼저 톡방 화면에서 맡으세요.",
    ),
    "rooms_missing": (
        "There is no room to send to. Choose rooms, a group that holds some, or give a CSV.",
        "보낼 톡방이 없습니다. 톡방을 고르거나, 톡방이 있는 그룹을 고르거나, CSV를 넣으세요.",
    ),
    "too_many_rooms": (
        "At most {most} rooms fit into one schedule. Make several of it.",
        "한 스케줄에 톡방은 {most}곳까지입니다. 여러 스케줄로 나누세요.",
    ),
    "rooms_unclaimed": (
        "Nobody has claimed {count} of these rooms ({rooms}), so nothing may be sent there. Claim or leave them out.",
        "아직 맡은 조직이 없는 톡방이 {count}곳 있어 보낼 수 없습니다({rooms}). 맡거나 빼세요.",
    ),
    "rooms_without_bot": (
        "No bot is in {count} of these rooms ({rooms}). Invite one there, or leave them out.",
        "봇이 없는 톡방이 {count}곳 있습니다({rooms}). 봇을 초대하거나 빼세요.",
    ),
    "bot_in_no_room": (
        "Bot '{bot}' is in none of these rooms. Choose another, or none: each room's first bot speaks then.",
        "봇 '{bot}'은(는) 이 톡방들 어디에도 없습니다. 다른 봇을 고르거나 비워 두면 톡방마다 첫 봇이 보냅니다.",
    ),
    "rooms_not_below_unit": (
        "{count} of these rooms ({rooms}) belong neither to '{unit}' nor to a unit below it.",
        "이 가운데 {count}곳({rooms})은 '{unit}'이나 그 아래 조직의 톡방이 아닙니다.",
    ),
    "group_not_found": (
        "There is no such group of rooms, or it is not yours to see.",
        "그런 톡방 그룹이 없거나 볼 권한이 없습니다.",
    ),
    "group_name_taken": (
        "The unit has a group of this name already. Choose another, or edit that one.",
        "이 조직에 같은 이름의 그룹이 있습니다. 이름을 바꾸거나 그 그룹을 고치세요.",
    ),
    "tag_too_long": (
        "The tag has {length} characters; at most {most} fit.",
        "태그가 {length}자입니다. {most}자까지 쓸 수 있습니다.",
    ),
    "span_out_of_range": (
        "{value} minutes are not possible; {least} to {most} are.",
        "{value}분은 쓸 수 없습니다. {least}분부터 {most}분까지입니다.",
    ),
    "csv_empty": (
        "The CSV has no room: its first line names the columns, each further line is a room.",
        "CSV에 톡방이 없습니다. 첫 줄에는 열 이름, 그다음 줄마다 톡방 하나를 적으세요.",
    ),
    "csv_column_unusable": (
        "Column '{name}' cannot be used: a name of a column is a word of 1 to {most} characters, without braces.",
        "열 이름 '{name}'은(는) 쓸 수 없습니다. 중괄호 없는 낱말로 {most}자까지 적으세요.",
    ),
    "csv_column_twice": (
        "Two columns of the CSV have the same name.",
        "CSV에 이름이 같은 열이 둘 있습니다.",
    ),
    "csv_row_uneven": (
        "Line {line} of the CSV has {cells} cells; there are {columns} columns.",
        "CSV {line}번째 줄은 칸이 {cells}개인데 열은 {columns}개입니다.",
    ),
    "csv_room_unknown": (
        "Line {line} of the CSV: there is no room '{room}', by name or channel id, or it is not yours to see.",
        "CSV {line}번째 줄: 이름이나 채널ID가 '{room}'인 톡방이 없거나 볼 권한이 없습니다.",
    ),
    "csv_room_ambiguous": (
        "Line {line} of the CSV: several rooms are called '{room}'. Write the channel id.",
        "CSV {line}번째 줄: 이름이 '{room}'인 톡방이 여럿입니다. 채널ID로 적으세요.",
    ),
    "csv_room_twice": (
        "Line {line} of the CSV: room '{room}' is there already.",
        "CSV {line}번째 줄: 톡방 '{room}'이(가) 앞에 이미 있습니다.",
    ),
    "variable_unknown": (
        "Nobody knows {names}. There are {known}. To show braces as they are, write them twice: {{{{…}}}}.",
        "{names}은(는) 알 수 없는 변수입니다. 쓸 수 있는 것: {known}. "
        "중괄호를 그대로 보내려면 {{{{…}}}}처럼 두 번 쓰세요.",
    ),
    "text_empty_in_room": (
        "Filled in for room '{room}' nothing is left to send. Give its row a value, or write something beside it.",
        "톡방 '{room}'에서는 보낼 글이 남지 않습니다. 그 행의 값을 채우거나 글을 더 쓰세요.",
    ),
    "text_too_long_in_room": (
        "Filled in for room '{room}' the text has {length} characters; {most} are allowed there.",
        "톡방 '{room}'에서는 글이 {length}자가 되는데 {most}자까지입니다.",
    ),
    "limit_too_small": (
        "One send is {components} messages, but this room takes {most} per {span}. Raise the limit or send fewer.",
        "한 번에 메시지가 {components}건인데 이 톡방은 {span}에 {most}건까지입니다. 제한을 늘리거나 내용을 줄이세요.",
    ),
}

WARNINGS: dict[str, Pair] = {
    "room_name_shared": (
        "Bot '{bot}' calls another unit's room '{name}' too, and finds a room by its name. "
        "Until one of the two has another name, nothing is sent here.",
        "봇 '{bot}'에 '{name}'(이)라는 다른 조직의 톡방이 또 있습니다. "
        "봇은 이름으로 톡방을 찾으므로, 한쪽 이름을 바꾸기 전에는 보내지 않습니다.",
    ),
    "room_name_repeated": (
        "Bot '{bot}' calls another room of this unit '{name}' too, and finds rooms by name: this may arrive there.",
        "봇 '{bot}'에 '{name}'(이)라는 같은 조직의 톡방이 또 있습니다. "
        "봇은 이름으로 톡방을 찾으므로 그쪽에 도착할 수 있습니다.",
    ),
    "room_busy": (
        "{title} sends to this room at {other}. With its {gap} s gap, this one goes out at {deferred} instead of {at}.",
        "{title}이(가) {other}에 이 톡방으로 보냅니다. {gap}초 간격 제한 때문에 {at} 대신 {deferred}에 나갑니다.",
    ),
    "delays_another": (
        "{title} sends to this room at {other}, within the {gap} s gap: it will go out later, at {deferred}.",
        "{title}이(가) {other}에 이 톡방으로 보냅니다. {gap}초 간격 안이라 {deferred}로 밀립니다.",
    ),
    "same_text": (
        "The same text is in {title} for this room, within {days} days. Is it meant twice?",
        "{title}이(가) {days}일 안에 이 톡방으로 같은 글을 보냈거나 보냅니다. 두 번 보내는 것이 맞나요?",
    ),
    "text_long": (
        "The text has {length} characters. From {warn} on, people tend not to read to the end.",
        "글이 {length}자입니다. {warn}자를 넘으면 끝까지 읽지 않는 사람이 많습니다.",
    ),
    "text_has_spaces": (
        "The text begins or ends with spaces or empty lines. They are sent as they are.",
        "글의 앞이나 뒤에 공백이나 빈 줄이 있습니다. 그대로 보냅니다.",
    ),
    "text_has_unseen": (
        "The text holds {count} characters nobody sees (such as {name}), often pasted along. They are sent too.",
        "눈에 보이지 않는 글자가 {count}개 있습니다({name} 등). 붙여 넣을 때 딸려 온 것일 수 있고, 그대로 보냅니다.",
    ),
    "text_left_out": (
        "'Images only' is chosen: the text is kept but not sent.",
        "'그림만 보내기'를 골라 글은 저장만 하고 보내지 않습니다.",
    ),
    "fires_only_once": (
        "It repeats, but the validity holds only one moment: {at}.",
        "반복 예약이지만 유효기간 안에 보낼 시각이 {at} 하나뿐입니다.",
    ),
    "bot_offline": (
        "Bot '{bot}' is offline now (last sign: {ping}). It can be scheduled; it is sent if the bot is back in time.",
        "봇 '{bot}'이(가) 지금 연결되어 있지 않습니다(마지막 신호 {ping}). 예약은 되고, 제때 연결되면 보냅니다.",
    ),
    "bot_excluded": (
        "Bot '{bot}' is excluded now: {reason}. Until it is brought back it sends nothing.",
        "봇 '{bot}'은(는) 지금 제외되어 있습니다: {reason}. 다시 쓰기 전에는 아무것도 보내지 않습니다.",
    ),
    "device_pending": (
        "No device of bot '{bot}' is approved yet. Approve one on the bots page, or nothing can be sent.",
        "봇 '{bot}'의 기기가 아직 승인되지 않았습니다. 봇 화면에서 승인해야 보낼 수 있습니다.",
    ),
    "bulk_too_slow": (
        "{says}. Give it a longer window, spread it, or let more bots share the rooms.",
        "{says}. 발송 시간을 늘리거나, 나누어 보내거나, 여러 봇이 나누어 보내게 하세요.",
    ),
    "day_nearly_full": (
        "In the 24 hours from {at}, {count} sends go to this room; {most} are allowed. Others will be deferred.",
        "{at}부터 24시간 동안 이 톡방에 {count}번 보냅니다. 한도는 {most}번이고, 넘으면 미룹니다.",
    ),
    "title_says_test": (
        "The title says it is a test, but '{room}' is a production room: real customers read it.",
        "제목은 시험 같은데 '{room}'은(는) 운영 톡방입니다. 실제 고객이 봅니다.",
    ),
}

SENTENCES: dict[str, Pair] = {**PROBLEMS, **WARNINGS}

# Why a moment ahead is not sent, or not as it says.
REASONS: dict[str, Pair] = {
    "skipped": ("Skipped, as asked.", "건너뛰기로 했습니다."),
    "paused": ("Not sent while the schedule is inactive.", "스케줄이 꺼져 있어 보내지 않습니다."),
    "not_yet_valid": ("Before the validity begins.", "유효기간이 시작되기 전입니다."),
    "no_longer_valid": ("After the validity has ended.", "유효기간이 끝난 뒤입니다."),
    "dst_gap": ("The clock jumps over this time on that day.", "그날은 시계가 이 시각을 건너뜁니다."),
    "dst_shifted": (
        "The clock jumps over this time; sent right after.",
        "시계가 이 시각을 건너뛰어 바로 뒤에 보냅니다.",
    ),
    "deferred": ("Deferred to {at}: {gap} s gap for this room.", "이 톡방은 {gap}초 간격 제한에 걸려 {at}에 보냅니다."),
    "bot_offline": ("The bot is offline now.", "지금 봇이 연결되어 있지 않습니다."),
    "bot_excluded": ("The bot is excluded now.", "지금 봇이 제외되어 있습니다."),
    "bot_waiting": ("The bot's phone waits for approval now.", "지금 봇의 전화기가 승인을 기다립니다."),
    "bot_wrong_secret": (
        "The bot's phone does not sign with its secret now.",
        "지금 봇의 전화기 비밀값이 맞지 않습니다.",
    ),
}
