-- name: lock_life(worker)
select id from pabal.worker where id = :worker for update;

-- name: find_life(worker)
select until, meta->>'lock' as lock from pabal.worker where id = :worker;

-- name: list_lives()
select id from pabal.worker order by id;

-- name: terminate_waiting()
select pg_terminate_backend(pid) as terminated from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid();

-- name: terminate_listeners()
select pg_terminate_backend(pid) as terminated from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
  and (query ilike 'listen%' or query ilike '%pg_notify%' or query = 'select 1;');

-- name: terminate_myself()
select pg_terminate_backend(pg_backend_pid()) as terminated;

-- name: count_open_transactions()
select count(*)::int from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%';

-- name: count_connections(forgot)
select count(*)::int from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    and not (state = 'idle' and query = :forgot::text);

-- name: give_leases(worker, other)!
-- what a rescue and the next claim leave behind
update pabal.lease set worker = :other, token = token + 1 where worker = :worker;

-- name: count_ended()
select count(*)::int from pabal.outcome where final;

-- name: bury(worker)!
delete from pabal.worker where id = :worker;

-- name: terminate_notifiers()
select pg_terminate_backend(pid) as terminated from pg_stat_activity
where datname = current_database() and query ilike '%pg_notify%' and pid <> pg_backend_pid();

-- name: outlive(worker)!
-- as if it had not beaten for an hour; its connections stay known, so that rescue can end them
update pabal.worker set until = pabal.real_now() - interval '1 hour' where id = :worker;

-- name: terminate_everybody()
-- as a restart of the database looks to everybody but its postmaster; once it answers they are gone
select count(pg_terminate_backend(pid, 30000)) from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid();

-- name: list_suspects()
select name, doubts, reason, tried from pabal.suspect order by name;

-- name: backdate_suspects()!
-- what was being tried when the database went away
update pabal.suspect set trying_since = trying_since - interval '1 hour';
