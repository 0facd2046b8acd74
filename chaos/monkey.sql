-- name: list_backends()
select pid from pg_stat_activity
where application_name like 'pabal%' and datname = current_database() and pid <> pg_backend_pid() order by pid;

-- name: terminate_backends(pids)
select pg_terminate_backend(pid) as terminated from unnest(:pids::int[]) as g(pid);

-- name: count_open()
select (select count(*) from pabal.ready) + (select count(*) from pabal.waiting)
     + (select count(*) from pabal.delayed) + (select count(*) from pabal.lease) as open;
