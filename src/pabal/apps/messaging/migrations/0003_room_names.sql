-- A bot finds a room by its name, so two rooms one bot calls alike are one place to it. No unique index can forbid that: phones
-- report such rooms as they are. What is held back because of it is looked up here, before every send.
create index room_bot_name on pabal.room_bot (bot_id, normalize(room_name, NFC));
