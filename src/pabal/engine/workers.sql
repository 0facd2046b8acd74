-- name: insert_worker(ttl, host, meta)
insert into pabal.worker (id, until, host, started_at, meta)
values (pabal.new_id(), pabal.real_now() + :ttl::interval, :host, pabal.now(),
        :meta::jsonb || jsonb_build_object('connections', current_setting('application_name'))) returning id;

-- name: open_alive(worker)
-- hold_life as the first statement of a transaction, which also reads the moment
select pabal.now(), (select id from pabal.worker where id = :worker and until > pabal.real_now() for key share) as id;

-- name: hold_life(worker)
-- First of all locks in a claiming transaction. Key share lets claims run beside each other and makes rescue skip this life.
select id from pabal.worker where id = :worker and until > pabal.real_now() for key share;

-- name: hold_life_beside(worker)
-- The same for a transaction that holds leases already: it waits for nobody who buries this life, and then claims nothing.
select id from pabal.worker where id = :worker and until > pabal.real_now() for key share skip locked;

-- name: beat(worker, ttl)
-- a lapsed life is not brought back: its jobs may be elsewhere already
with me as (
  update pabal.worker set until = pabal.real_now() + :ttl::interval where id = :worker and until > pabal.real_now() returning id)
select exists (select from me) as is_alive;

-- name: is_draining(worker)
select drain_at is not null from pabal.worker where id = :worker;

-- name: set_drain(worker, is_draining)
-- asked twice, it drains since the first time
update pabal.worker set drain_at = case when :is_draining::boolean then coalesce(drain_at, pabal.now()) end where id = :worker returning id;

-- name: release_routes(worker)!
-- once the last job that needs them is over
delete from pabal.route where worker = :worker and not exists (select from pabal.lease where worker = :worker);

-- name: list_signals(worker)
select l.id, l.token, l.cancel_at is not null as is_cancelled from pabal.lease l
where l.worker = :worker and (l.cancel_at is not null or (l.route_epoch is not null
  and not exists (select from pabal.route r where r.route = l.queue and r.epoch = l.route_epoch)));

-- name: lock_worker(worker)
-- waits for a claim whose answer we never got, so that the next statement sees its leases
select id from pabal.worker where id = :worker for update;

-- name: end_life(worker)!
-- a life that still holds leases stays, lapsed, so that rescue finds them
with gone as (delete from pabal.worker w where w.id = :worker and not exists (select from pabal.lease l where l.worker = w.id))
update pabal.worker w set until = '-infinity' where w.id = :worker and exists (select from pabal.lease l where l.worker = w.id);

-- name: delete_routes(workers)!
delete from pabal.route where worker = any(:workers::bigint[]);

-- name: list_lives(host)
select id, meta from pabal.worker where host = :host;

-- name: list_workers()
select w.id, w.until, w.host, w.started_at, w.meta, w.until > pabal.real_now() as is_alive, w.drain_at is not null as is_draining,
       (select count(*) from pabal.lease l where l.worker = w.id)::int as leases
from pabal.worker w order by w.id;

-- name: end_connections(ttl)!
-- A process that sleeps in the middle of a statement holds its locks for ever: no timeout of PostgreSQL counts there.
-- Only a life that rescue could not bury for three seconds is still here; a process with a new life is awake.
select pg_terminate_backend(a.pid) from pabal.worker w
join pg_stat_activity a on a.application_name = w.meta->>'connections' and a.pid <> pg_backend_pid()
where greatest(w.until, pg_postmaster_start_time() + :ttl::interval) < pabal.real_now() - interval '3 seconds'
  and not exists (select from pabal.worker n where n.meta->>'connections' = w.meta->>'connections' and n.until > pabal.real_now());

-- name: bury_lapsed(ttl)
-- The first of two statements. After a restart of the database everybody has one TTL to beat again.
delete from pabal.worker where id in (
  select id from pabal.worker where greatest(until, pg_postmaster_start_time() + :ttl::interval) < pabal.real_now() for update skip locked)
returning id, host, started_at, meta;

-- name: bury_named(workers)
delete from pabal.worker where id in (select id from pabal.worker where id = any(:workers::bigint[]) for update skip locked)
returning id, host, started_at, meta;

-- name: rescue_leases(workers, kinds)
-- The second statement, with a snapshot of its own: in one statement the leases of a claim that commits meanwhile are lost for ever.
with dead as materialized (
  delete from pabal.lease where worker = any(:workers::bigint[]) returning *),
body as materialized (
  select d.*, w.kind, w.args, w.priority, w.about, w.unit_id, w.max_failures, w.max_recoveries, w.deadline as limit_each, w.records_end is true as records_end,
         'its worker died' as reason,
         case when d.cancel_at is not null then 'cancelled'
              when d.recoveries >= w.max_recoveries and w.kind = any(:kinds::text[]) then 'quarantined' end as verdict
  from dead d cross join lateral (select * from pabal.work w where w.id = d.id offset 0) w),
noted as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
  select id, token, verdict is not null, coalesce(verdict, 'lost'), worker, started_at, pabal.now(),
         jsonb_build_object('reason', reason, 'taken', true) from body),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from body where verdict is not null)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence o set "end" = pabal.occurrence_end(f.verdict), reason = 'its worker died', ended_at = pabal.now()
  from (
    select o.place, b.verdict from body b cross join lateral (
      select o.ctid as place from pabal.occurrence o where b.verdict is not null and o.work_id = b.id and o."end" is null offset 0) o) f
  where o.ctid = f.place),
again as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, priority, pabal.now(), id, token, failures, recoveries + 1, snoozes from body where verdict is null)
select id, token, kind, args, queue, lane, about, unit_id, failures, recoveries, snoozes, max_failures, max_recoveries,
       limit_each as deadline, route_epoch, records_end, verdict, reason
from body;

-- name: take_overdue(grace, kinds, slice)
-- Attempts that ignored a cancel or their deadline for longer than the grace: the lease is taken from a worker that may still run.
-- Not from one that is dead: its attempt may have been quick, and is no failure; rescue takes it.
with late as materialized (
  (select id from pabal.lease where cancel_at < pabal.now() - :grace::interval order by cancel_at limit :slice)
  union (select id from pabal.lease where deadline < pabal.now() - :grace::interval order by deadline limit :slice)),
over as materialized (
  select l.* from late cross join lateral (
    select l.* from pabal.lease l where l.id = late.id and (select w.kind from pabal.work w where w.id = l.id) = any(:kinds::text[])
      and (select m.until > pabal.real_now() from pabal.worker m where m.id = l.worker)
    offset 0 for update skip locked) l limit :slice),
gone as (delete from pabal.lease where id = any(array(select id from over))),
body as materialized (
  select o.*, w.kind, w.args, w.priority, w.about, w.unit_id, w.max_failures, w.max_recoveries, w.deadline as limit_each, w.records_end is true as records_end,
         case when o.cancel_at is not null then 'cancelled and did not stop' when o.stop = 'stall' then 'stalled and did not stop'
              else 'deadline passed and did not stop' end as reason,
         case when o.cancel_at is not null then 'cancelled' when o.failures + 1 >= w.max_failures then 'failed' end as verdict
  from over o cross join lateral (select * from pabal.work w where w.id = o.id offset 0) w),
noted as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
  select id, token, verdict is not null, coalesce(verdict, 'retry'), worker, started_at, pabal.now(),
         jsonb_build_object('reason', reason, 'taken', true) from body),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from body where verdict is not null)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence o set "end" = pabal.occurrence_end(f.verdict), reason = 'did not stop', ended_at = pabal.now()
  from (
    select o.place, b.verdict from body b cross join lateral (
      select o.ctid as place from pabal.occurrence o where b.verdict is not null and o.work_id = b.id and o."end" is null offset 0) o) f
  where o.ctid = f.place),
again as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, priority, pabal.now(), id, token, failures + 1, recoveries, snoozes from body where verdict is null)
select id, token, kind, args, queue, lane, about, unit_id, failures, recoveries, snoozes, max_failures, max_recoveries,
       limit_each as deadline, route_epoch, records_end, verdict, reason
from body;
