-- name: list_indexes()
select indexname, indexdef from pg_indexes where schemaname = 'pabal' and tablename in ('message_schedule', 'schedule') order by indexname;

-- name: show_types()
select column_name, data_type, is_nullable = 'YES' as is_nullable, is_identity = 'YES' as is_identity
from information_schema.columns where table_schema = 'pabal' and table_name = 'message_schedule';

-- name: list_kept(id)
select jsonb_object_keys(pabal.message_content(s)) as name from pabal.message_schedule s where id = :id;

-- name: drop_bot(id)!
update pabal.message_schedule set bot_id = null where id = :id;

-- name: drop_room(id)!
update pabal.message_schedule set room_id = null where id = :id;
