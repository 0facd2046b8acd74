-- name: hold#
begin isolation level repeatable read; select count(*) from pabal.ready;

-- name: dead()$
select sum(n_dead_tup)::bigint from pg_stat_user_tables where schemaname = 'pabal';
