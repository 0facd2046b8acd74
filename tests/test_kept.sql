-- name: read_session()
select
    current_setting('search_path') as path,
    current_setting('statement_timeout') as statement_timeout,
    nullif(current_setting('pabal.said', true), '') as said,
    current_user::text as role,
    array(select pg_listening_channels()) as listening,
    (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
    (select count(*) from pg_class where relpersistence = 't') as temporary,
    (select count(*) from pg_cursors where is_holdable) as cursors;

-- name: read_process()
select pg_backend_pid();

-- name: count_prepared()
select count(*) from pg_prepared_statements where statement like '%count(*) from pg_prepared_statements%';

-- name: wait_long()
select pg_sleep(60);
