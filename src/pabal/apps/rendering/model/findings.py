"""What reading, mapping and pre-flight find, as sentences: what is wrong, with its values, and what to do. Pure."""

from typing import Any

from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair, put


def find(code: str, field: str, /, **values: Any) -> Finding:
    """The sentence of this code with its values, at this field."""
    sentence = SENTENCES[code]
    return Finding(code, field, (put("en", sentence, **values), put("ko", sentence, **values)))


def find_in_line(code: str, line: int, field: str = "", /, **values: Any) -> Finding:
    """As `find`, with the line of the file it stands in."""
    english, korean = find(code, field, **values).text
    place = f"lines/{line}/{field}" if field else f"lines/{line}"
    return Finding(code, place, (f"Line {line}: {english}", f"{line}행: {korean}"))


GFX: dict[str, Pair] = {
    "gfx_not_object": (
        "'{name}' must be a JSON object, such as {{}}.",
        "'{name}'은(는) {{}} 같은 JSON 객체여야 합니다.",
    ),
    "gfx_not_list": (
        "'{name}' must be a JSON list, such as [].",
        "'{name}'은(는) [] 같은 JSON 목록이어야 합니다.",
    ),
    "value_not_text": (
        "'{name}' must be a text, a number, true, false or null; lists and objects cannot be shown in a layer.",
        "'{name}'은(는) 글자, 숫자, true, false, null이어야 합니다. 목록과 객체는 레이어에 넣을 수 없습니다.",
    ),
    "bad_characters": (
        "'{name}' holds control characters that cannot be shown. Remove them.",
        "'{name}'에 화면에 나올 수 없는 제어 문자가 있습니다. 지워 주세요.",
    ),
    "value_too_long": (
        "'{name}' has {length} characters; at most {most} are accepted.",
        "'{name}'이(가) {length}자입니다. {most}자까지 받습니다.",
    ),
    "field_name_missing": (
        "A field without a name cannot be mapped. Give it a name.",
        "이름이 없는 항목은 매핑할 수 없습니다. 이름을 적어 주세요.",
    ),
    "field_twice": (
        "'{name}' is given twice. Keep one.",
        "'{name}'이(가) 두 번 있습니다. 하나만 남겨 주세요.",
    ),
    "bad_slot_number": (
        "A slot number is a whole number from 1 to {most}.",
        "슬롯 번호는 1부터 {most}까지의 정수입니다.",
    ),
    "slot_twice": (
        "Slot {number} is given twice. Number the slots differently.",
        "슬롯 {number}이(가) 두 번 있습니다. 번호를 다르게 적어 주세요.",
    ),
    "too_many_slots": (
        "{count} slots are given; at most {most} are accepted.",
        "슬롯이 {count}개입니다. {most}개까지 받습니다.",
    ),
    "too_many_gfx_fields": (
        "{count} fields are given; at most {most} are accepted.",
        "항목이 {count}개입니다. {most}개까지 받습니다.",
    ),
    "flags_differ": (
        "'flags' and 'flag_fields' name different pictures for flag {number}. Keep one.",
        "국기 {number}의 그림이 'flags'와 'flag_fields'에서 다릅니다. 하나만 남겨 주세요.",
    ),
    "bad_action": (
        "Only actions of the type 'expression' with layerName, property and value are accepted here.",
        "여기서는 layerName, property, value가 있는 'expression' 동작만 받습니다.",
    ),
}

IMPORT: dict[str, Pair] = {
    "import_empty": (
        "There is nothing in this file. Export the mapping to see its form.",
        "파일에 내용이 없습니다. 매핑을 내보내면 형식을 볼 수 있습니다.",
    ),
    "header_unknown": (
        "This is no header of a table of compositions or of fields. Needed: {compositions}; or {fields}.",
        "컴포지션 표나 필드 표의 머리글이 아닙니다. 필요한 칸: {compositions} 또는 {fields}.",
    ),
    "column_missing": (
        "The column '{column}' is missing. Add it to the header.",
        "'{column}' 칸이 없습니다. 머리글에 더해 주세요.",
    ),
    "column_unknown": (
        "There is no column '{column}'. Known ones: {known}.",
        "'{column}'이라는 칸은 없습니다. 쓸 수 있는 칸: {known}.",
    ),
    "column_twice": (
        "The column '{column}' stands twice in the header. Keep one.",
        "머리글에 '{column}' 칸이 두 번 있습니다. 하나만 남겨 주세요.",
    ),
    "too_many_cells": (
        "This row has more cells than the header. Put texts with commas into quotes.",
        "머리글보다 칸이 많습니다. 쉼표가 든 글자는 따옴표로 묶어 주세요.",
    ),
    "csv_unreadable": (
        "From here on it is no CSV: {reason}.",
        "여기부터 CSV로 읽을 수 없습니다. ({reason})",
    ),
    "json_unreadable": (
        "This is no JSON: {reason}.",
        "JSON으로 읽을 수 없습니다. ({reason})",
    ),
    "json_shape": (
        "Expected an object with 'compositions' and 'mappings', each a list of objects, or a list of mappings.",
        "'compositions'와 'mappings' 목록이 든 객체이거나 매핑의 목록이어야 합니다. 목록의 값은 모두 객체입니다.",
    ),
    "cell_missing": (
        "'{column}' is empty. Fill it in.",
        "'{column}' 칸이 비어 있습니다. 채워 주세요.",
    ),
    "cell_too_long": (
        "'{column}' has more than {most} characters. Shorten it.",
        "'{column}'이(가) {most}자를 넘습니다. 줄여 주세요.",
    ),
    "cell_not_text": (
        "'{column}' must be a text without control characters.",
        "'{column}'은(는) 제어 문자가 없는 글자여야 합니다.",
    ),
    "bad_number_in_cell": (
        "'{column}' is '{value}'; it must be {needed}.",
        "'{column}'이(가) '{value}'입니다. {needed_ko}여야 합니다.",
    ),
    "bad_template_src": (
        "'{value}' is no After Effects project the worker could open. Write a path that ends in .aep or .aepx.",
        "'{value}'은(는) 워커가 열 수 있는 AE 프로젝트가 아닙니다. .aep나 .aepx로 끝나는 경로를 적어 주세요.",
    ),
    "bad_output_ext": (
        "'{value}' is no file extension. Write letters and digits without a dot, such as mp4.",
        "'{value}'은(는) 파일 확장자가 아닙니다. mp4처럼 점 없이 영문과 숫자로 적어 주세요.",
    ),
    "bad_flag_path_template": (
        "'{value}' must be the path of a picture with {{country}} in it once, such as flags/{{country}}.png.",
        "'{value}'은(는) flags/{{country}}.png처럼 {{country}}가 한 번 든 그림 경로여야 합니다.",
    ),
    "bad_text_limits": (
        "'{value}' is no list of text limits. Write field=characters, such as name=24; Single - pot=12.",
        "'{value}'은(는) 글자 수 제한이 아닙니다. name=24; Single - pot=12처럼 필드=글자수로 적어 주세요.",
    ),
    "bad_field_name": (
        "'{value}' is no field name. Write 'Slot 1 - name', 'Single - pot' or 'Flag 1'.",
        "'{value}'은(는) 필드 이름이 아닙니다. 'Slot 1 - name', 'Single - pot', 'Flag 1'처럼 적어 주세요.",
    ),
    "bad_kind": (
        "'{value}' is no kind of field. Choose text, image or expression; a flag is an image.",
        "'{value}'은(는) 필드의 종류가 아닙니다. text, image, expression 중에서 고르세요. 국기는 image입니다.",
    ),
    "composition_twice": (
        "Composition '{id}' stands already in line {first}. Keep one.",
        "컴포지션 '{id}'은(는) {first}행에 이미 있습니다. 하나만 남겨 주세요.",
    ),
    "mapping_twice": (
        "'{field}' of composition '{id}' is mapped already in line {first}. Keep one.",
        "컴포지션 '{id}'의 '{field}'은(는) {first}행에서 이미 매핑했습니다. 하나만 남겨 주세요.",
    ),
    "layer_twice": (
        "Line {first} writes to '{property}' of layer '{layer}' of '{id}' too; only one of them would show.",
        "{first}행도 컴포지션 '{id}'의 레이어 '{layer}'의 '{property}'에 씁니다. 둘 중 하나만 화면에 나옵니다.",
    ),
    "composition_unknown": (
        "There is no composition '{id}', neither in this file nor before it. Import the composition too.",
        "컴포지션 '{id}'이(가) 이 파일에도, 등록된 것에도 없습니다. 컴포지션도 함께 가져오세요.",
    ),
}

MAPPING: dict[str, Pair] = {
    "field_unmapped": (
        "'{name}' has no layer in this composition and is not shown. Add it to the mapping or leave it out.",
        "'{name}'은(는) 이 컴포지션에 매핑한 레이어가 없어 화면에 나오지 않습니다. 매핑에 더하거나 데이터에서 빼세요.",
    ),
    "mapping_unused": (
        "'{name}' is mapped, but the data does not have it: its layer stays empty.",
        "'{name}'은(는) 매핑에 있지만 데이터에 없습니다. 레이어는 비워서 보냅니다.",
    ),
    "picture_unused": (
        "'{name}' is mapped, but the data does not have it: its layer keeps what the template holds.",
        "'{name}'은(는) 매핑에 있지만 데이터에 없습니다. 레이어에는 템플릿에 든 것이 그대로 남습니다.",
    ),
    "field_empty": (
        "'{name}' is empty; its layer is sent empty.",
        "'{name}'이(가) 비어 있어 레이어를 비워서 보냅니다.",
    ),
    "flag_empty": (
        "Flag {number} is empty: layer '{layer}' keeps the picture of the template.",
        "국기 {number}이(가) 비어 있습니다. 레이어 '{layer}'에는 템플릿의 그림이 그대로 남습니다.",
    ),
}

PREFLIGHT: dict[str, Pair] = {
    "path_not_absolute": (
        "'{path}' is not the whole path of a file as the worker's machine sees it.",
        "'{path}'은(는) 워커에서 본 전체 파일 경로가 아닙니다.",
    ),
    "template_missing": (
        "The template '{path}' is not there. Put it back, or correct the composition's path.",
        "템플릿 '{path}'이(가) 없습니다. 파일을 되돌려 놓거나 컴포지션의 경로를 고치세요.",
    ),
    "template_unreadable": (
        "The template '{path}' cannot be read. Check the permissions of the file and its folder.",
        "템플릿 '{path}'을(를) 읽을 수 없습니다. 파일과 폴더의 권한을 확인하세요.",
    ),
    "template_damaged": (
        "'{path}' is not an After Effects project, or a damaged one. Save it again, or copy it there again.",
        "'{path}'은(는) After Effects 프로젝트가 아니거나 손상된 파일입니다. 다시 저장하거나 다시 복사해 두세요.",
    ),
    "composition_not_in_template": (
        "The template '{path}' has no composition '{name}'. Correct the name, or save the project with it. "
        "It has: {known}.",
        "템플릿 '{path}'에 컴포지션 '{name}'이(가) 없습니다. 이름을 고치거나 그 컴포지션을 넣어 프로젝트를 저장하세요. "
        "들어 있는 컴포지션: {known}.",
    ),
    "composition_differs": (
        "The data is for '{given}', but the render is for '{name}'. Choose the right composition.",
        "데이터는 '{given}'의 것인데 렌더는 '{name}'입니다. 맞는 컴포지션을 고르세요.",
    ),
    "mapping_missing": (
        "Composition '{name}' has no mapping, so nothing of the data would be shown. Import its fields.",
        "컴포지션 '{name}'에 매핑이 없어 데이터가 화면에 나오지 않습니다. 필드를 가져오세요.",
    ),
    "nothing_mapped": (
        "None of the given fields is in the mapping of '{name}'. Check the names of the fields.",
        "'{name}'의 매핑에 있는 항목이 데이터에 하나도 없습니다. 항목의 이름을 확인하세요.",
    ),
    "text_too_long": (
        "'{name}' has {length} characters; {most} fit into its layer. Shorten the text.",
        "'{name}'이(가) {length}자입니다. 레이어에는 {most}자까지 들어갑니다. 줄여 주세요.",
    ),
    "flag_missing": (
        "Slot {number} has neither a flag nor a country, so '{layer}' would show the flag of the template.",
        "슬롯 {number}에 국기도 국가도 없어 '{layer}'에 템플릿의 국기가 나옵니다. 국가를 적어 주세요.",
    ),
    "flag_unusable": (
        "'{value}' of flag {number} is neither a country nor the path of a file on the worker's machine.",
        "국기 {number}의 '{value}'은(는) 국가 이름도, 워커가 열 수 있는 파일 경로도 아닙니다.",
    ),
    "picture_unusable": (
        "'{value}' of '{name}' is not the whole path of a file on the worker's machine.",
        "'{name}'의 '{value}'은(는) 워커가 열 수 있는 전체 파일 경로가 아닙니다.",
    ),
    "picture_missing": (
        "The picture '{path}' for layer '{layer}' is not there. Put it there or correct the data.",
        "레이어 '{layer}'에 넣을 그림 '{path}'이(가) 없습니다. 파일을 두거나 데이터를 고치세요.",
    ),
    "picture_unreadable": (
        "The picture '{path}' for layer '{layer}' cannot be read. Check its permissions.",
        "레이어 '{layer}'에 넣을 그림 '{path}'을(를) 읽을 수 없습니다. 권한을 확인하세요.",
    ),
    "disk_low": (
        "The disk for the output has {free} free; a render needs {needed}. Remove what is no longer needed.",
        "출력 디스크에 {free}가 남았습니다. 렌더에는 {needed}가 필요합니다. 필요 없는 파일을 지우세요.",
    ),
    "nas_unwritable": (
        "The NAS folder cannot be written to. Check the mount and its permissions.",
        "NAS 폴더에 쓸 수 없습니다. 마운트와 권한을 확인하세요.",
    ),
    "nas_low": (
        "The NAS has {free} free; a render needs {needed}. Remove what is no longer needed.",
        "NAS에 {free}가 남았습니다. 렌더에는 {needed}가 필요합니다. 필요 없는 파일을 지우세요.",
    ),
}

SENTENCES: dict[str, Pair] = {**GFX, **IMPORT, **MAPPING, **PREFLIGHT}
