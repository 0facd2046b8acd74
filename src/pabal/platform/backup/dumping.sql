-- name: export_snapshot()
-- this transaction idles while pg_dump works
select pg_export_snapshot(), set_config('idle_in_transaction_session_timeout', '0', true);

-- name: count_tables()
select c.relname as name, pabal.count_rows(c.oid::regclass) as number from pg_class c
where c.relnamespace = 'pabal'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname;
