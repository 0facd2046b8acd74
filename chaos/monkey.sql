-- name: list_backends()
select pid from pg_stat_activity
where application_name like 'pabal%' and datname = current_database() and pid <> pg_backend_pid() order by pid;

-- name: terminate_backends(pids)
select pg_terminate_backend(pid) as terminated from unnest(:pids::int[]) as g(pid);

-- name: count_open(names)
-- with the facts that their subscriber has neither taken nor put aside
select (select count(*) from pabal.ready) + (select count(*) from pabal.waiting)
     + (select count(*) from pabal.delayed) + (select count(*) from pabal.lease)
     + (select count(*) from pabal.fact where name = any(:names::text[]))
     - (select count(distinct seq) from (select seq from chaos.heard union all select seq from pabal.fact_aside) f) as open;
