-- name: read_version()
select current_setting('server_version_num')::int;

-- name: read_real_time()
select extract(epoch from pabal.real_now())::float8;

-- name: read_oldest_snapshot()
select coalesce(max(extract(epoch from pabal.real_now() - xact_start)), 0)::float8 as seconds,
  (array_agg(pid order by xact_start))[1] as pid
from pg_stat_activity where backend_xmin is not null and datname = current_database() and pid <> pg_backend_pid();

-- name: read_dead_rows()
select relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live from pg_stat_user_tables
where schemaname = 'pabal' and relname in ('ready', 'lease', 'delayed', 'waiting', 'lane', 'worker') order by n_dead_tup desc limit 1;

-- name: read_notification_queue()
select pg_notification_queue_usage()::float8;

-- name: list_filled_defaults()
-- rows there mean that a week's partition was not made in time, and can no longer be made
select 'work' as name where exists (select from pabal.work_default)
union all select 'outcome' where exists (select from pabal.outcome_default)
union all select 'fact' where exists (select from pabal.fact_default);
