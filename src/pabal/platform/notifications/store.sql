-- name: lock_key(key)!
-- two causes at once: the second waits and then finds what the first said
select pg_advisory_xact_lock(hashtextextended('notification ' || :key, 0));

-- name: repeat_notification(key, unit_id, levels, since, now)
-- unit: the same notice to the same unit; nobody reads here
-- what was said at a lower level does not keep a higher one quiet
update pabal.notification set times = times + 1, last_at = :now where id = (
  select id from pabal.notification where key = :key and unit_id is not distinct from :unit_id::bigint
    and level = any(:levels::text[]) and at > :since order by id desc limit 1)
returning id;

-- name: insert_notification(unit_id, name, level, title, text, about, link, document_key, document_name, key, now)
insert into pabal.notification (unit_id, name, level, title, text, about, link, document_key, document_name, key, at, last_at)
values (:unit_id, :name, :level, :title, :text, :about, :link, :document_key, :document_name, :key, :now, :now) returning id;

-- name: list_notifications(units, levels, before, most)
select id, unit_id, name, level, title, text, about, link, document_key, document_name, times, at, last_at from pabal.notification
where id < :before
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:levels::text[] is null or level = any(:levels::text[]))
order by id desc limit :most;

-- name: count_unread(units, reader, most)
-- nobody reads the difference between 100 and 3,000
select count(*) from (
  select from pabal.notification
  where id > coalesce((select upto from pabal.notification_read where reader = :reader), 0)
    and (:units::bigint[] is null or unit_id = any(:units::bigint[])) limit :most) as unread;

-- name: find_read_upto(reader)
select upto from pabal.notification_read where reader = :reader;

-- name: mark_read(reader, upto)!
insert into pabal.notification_read (reader, upto) values (:reader, :upto)
on conflict (reader) do update set upto = greatest(notification_read.upto, excluded.upto);

-- name: forget_notifications(before)!
delete from pabal.notification where id < pabal.id_at(:before::timestamptz);

-- name: forget_deliveries(before)!
delete from pabal.notification_delivery where id < pabal.id_at(:before::timestamptz) and ended_at is not null;

-- name: list_channels(units)
select id, unit_id, kind, name, chat_id, bot_id, token_tail, lang, least_level, wants, is_active, stopped_at, last_ok_at,
       last_error, last_error_at, created_at, user_id, address, before_until, failures, failing_since, is_two_way
from pabal.notification_channel where :units::bigint[] is null or unit_id = any(:units::bigint[]) order by unit_id, name;

-- name: find_channel(id)
select id, unit_id, kind, name, chat_id, bot_id, token_tail, lang, least_level, wants, is_active, stopped_at, last_ok_at,
       last_error, last_error_at, created_at, user_id, address, before_until, failures, failing_since, is_two_way
from pabal.notification_channel where id = :id;

-- name: insert_channel(unit_id, kind, name, chat_id, address, bot_id, sealed_token, token_tail, lang, least_level, wants, is_active, is_two_way, now)
insert into pabal.notification_channel
  (unit_id, kind, name, chat_id, address, bot_id, sealed_token, token_tail, lang, least_level, wants, is_active, is_two_way, created_at)
values (:unit_id, :kind, :name, :chat_id, :address, :bot_id, :sealed_token, :token_tail, :lang, :least_level, :wants, :is_active, :is_two_way, :now)
returning id;

-- name: update_channel(id, name, chat_id, address, lang, least_level, wants, is_active, is_two_way)!
-- an edit is a person acting: what had stopped is tried again
update pabal.notification_channel
set name = :name, chat_id = :chat_id, address = :address, lang = :lang, least_level = :least_level, wants = :wants,
    is_active = :is_active, is_two_way = :is_two_way, stopped_at = null, failures = 0, failing_since = null
where id = :id;

-- name: update_token(id, bot_id, sealed_token, token_tail)!
update pabal.notification_channel set bot_id = :bot_id, sealed_token = :sealed_token, token_tail = :token_tail where id = :id;

-- name: delete_channel(id)!
delete from pabal.notification_channel where id = :id;

-- name: list_same_chat(bot_id, chat_id)
select id from pabal.notification_channel where bot_id = :bot_id and chat_id = :chat_id order by id for update;

-- name: move_channels(ids, chat_id)!
update pabal.notification_channel set chat_id = :chat_id where id = any(:ids::bigint[]);

-- name: note_success(id, now)!
update pabal.notification_channel set last_ok_at = :now, last_error = null, last_error_at = null, stopped_at = null where id = :id;

-- name: note_error(id, error, now)!
update pabal.notification_channel set last_error = :error, last_error_at = :now where id = :id;

-- name: stop_channel(id, sealed_token, chat_id, now)!
-- only if it is still the bot and the chat that were refused
update pabal.notification_channel set stopped_at = :now
where id = :id and sealed_token = :sealed_token and chat_id = :chat_id and stopped_at is null;

-- name: insert_delivery(channel_id, notification_id, text, link, document_key, document_name, approval_id, buttons, is_call, replay_of, now)
insert into pabal.notification_delivery
  (channel_id, notification_id, text, link, document_key, document_name, approval_id, buttons, is_call, replay_of, created_at)
values (:channel_id, :notification_id, :text, :link, :document_key, :document_name, :approval_id, :buttons, :is_call, :replay_of, :now)
returning id;

-- name: find_errand(id)
select d.id, d.channel_id, d.notification_id is null as is_test, d.text, d.link, d.document_key, d.document_name, d.parts_sent,
       c.chat_id, c.bot_id, c.sealed_token, c.is_active and c.stopped_at is null as is_open,
       exists (select from pabal.approval a where a.id = d.approval_id and a.state <> 'open') as is_over,
       -- a button of a bot that nobody here listens to would be answered by nobody, or by somebody else
       case when not exists (select from pabal.notification_channel o where o.bot_id = c.bot_id and not o.is_two_way) then d.buttons end as buttons,
       d.approval_id is not null as is_card
from pabal.notification_delivery d join pabal.notification_channel c on c.id = d.channel_id
where d.id = :id and d.ended_at is null;

-- name: note_message(id, message_id)!
update pabal.notification_delivery set message_id = :message_id where id = :id;

-- name: list_cards(approval_id)
-- unit: by the approval that ended
select d.id, d.approval_id, c.chat_id, c.unit_id, c.id as channel_id
from pabal.notification_delivery d join pabal.notification_channel c on c.id = d.channel_id
where d.approval_id = :approval_id order by d.id;

-- name: find_card(id)
select d.id, d.channel_id, d.approval_id, d.message_id, c.chat_id, c.bot_id, c.sealed_token, c.lang
from pabal.notification_delivery d join pabal.notification_channel c on c.id = d.channel_id where d.id = :id and d.message_id is not null;

-- name: count_part(id)!
update pabal.notification_delivery set parts_sent = parts_sent + 1 where id = :id;

-- name: end_delivery(id, result, detail, now)
update pabal.notification_delivery set result = :result, detail = :detail, ended_at = :now
where id = :id and ended_at is null returning channel_id;

-- name: list_deliveries(channel_id, before, most)
select d.id, d.channel_id, d.notification_id, d.parts_sent, d.result, d.detail, d.created_at, d.ended_at, d.is_call, d.replay_of,
       coalesce(a.number, 0) as attempts, a.status as last_status
from pabal.notification_delivery d
left join lateral (select number, status from pabal.notification_attempt where delivery_id = d.id order by number desc limit 1) a on true
where d.channel_id = :channel_id and d.id < :before order by d.id desc limit :most;

-- name: hold_channel(id)!
select id from pabal.notification_channel where id = :id for update;
