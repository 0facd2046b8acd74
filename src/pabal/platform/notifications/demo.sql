-- name: has_channel(bot_id)
-- unit: the demo's own
select exists (select from pabal.notification_channel where bot_id = :bot_id);

-- name: delete_channels(bot_id)!
-- unit: the demo's own
with gone as (delete from pabal.telegram_bot where bot_id = :bot_id)
delete from pabal.notification_channel where bot_id = :bot_id;
