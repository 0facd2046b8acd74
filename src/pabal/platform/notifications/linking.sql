-- name: has_bot()
-- unit: whether anybody listens to any bot at all
select exists (select from pabal.notification_channel c where c.kind = 'telegram' and c.is_active and c.stopped_at is null
  and not exists (select from pabal.notification_channel o where o.bot_id = c.bot_id and not o.is_two_way));

-- name: put_code(code_hash, user_id, expires_at)!
with gone as (delete from pabal.telegram_code where user_id = :user_id)
insert into pabal.telegram_code (code_hash, user_id, expires_at) values (:code_hash, :user_id, :expires_at);

-- name: take_code(code_hash, now)
delete from pabal.telegram_code where code_hash = :code_hash and expires_at > :now::timestamptz returning user_id;

-- name: find_link(user_id)
select user_id, telegram_id, linked_at from pabal.telegram_link where user_id = :user_id;

-- name: find_user_of(telegram_id)
select user_id from pabal.telegram_link where telegram_id = :telegram_id;

-- name: drop_others(telegram_id)!
-- an account in Telegram is one person's: the last who linked it
with gone as (delete from pabal.telegram_link where telegram_id = :telegram_id returning user_id)
delete from pabal.notification_channel c using gone where c.user_id = gone.user_id;

-- name: insert_link(user_id, telegram_id, now)!
insert into pabal.telegram_link (user_id, telegram_id, linked_at) values (:user_id, :telegram_id, :now);

-- name: delete_link(user_id)!
delete from pabal.telegram_link where user_id = :user_id;

-- name: delete_own_channels(user_id)!
-- unit: a person's own
delete from pabal.notification_channel where user_id = :user_id;

-- name: insert_own_channel(user_id, unit_id, name, chat_id, bot_id, lang, now)!
-- with the token of the bot they spoke to
insert into pabal.notification_channel
  (unit_id, user_id, name, chat_id, bot_id, sealed_token, token_tail, lang, least_level, wants, is_active, created_at)
select :unit_id, :user_id, :name, :chat_id, c.bot_id, c.sealed_token, c.token_tail, :lang, 'info', '{approvals.*}', true, :now
from pabal.notification_channel c where c.bot_id = :bot_id and c.is_active order by c.user_id is not null, c.id limit 1;
