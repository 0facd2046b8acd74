-- name: count_locks()
select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database());

-- name: list_mappings()
-- tables that say of a bot which server has it
select table_name as name from information_schema.columns where table_schema = 'pabal'
group by table_name
having bool_or(column_name in ('bot', 'bot_id', 'bot_name', 'route')) and bool_or(column_name in ('worker', 'worker_id', 'server', 'server_id', 'host'));
