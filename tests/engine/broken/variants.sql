-- name: rescue_in_one(ttl)
-- One snapshot for both deletes: the leases of a claim that commits in between belong to nobody, for ever.
with dead as (
  delete from pabal.worker where id in (
    select id from pabal.worker where greatest(until, pg_postmaster_start_time() + :ttl::interval) < pabal.real_now() for update skip locked)
  returning id),
taken as materialized (delete from pabal.lease l using dead where l.worker = dead.id returning l.*),
again as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select t.queue, w.priority, pabal.now(), t.id, t.token, t.failures, t.recoveries + 1, t.snoozes from taken t join pabal.work w on w.id = t.id)
select id from taken;

-- name: free_and_advance_in_one(lanes, holders)
-- One snapshot for both steps: whoever enqueued meanwhile is overlooked by this statement, and saw the lane still held.
with held as materialized (
  select l.lane from pabal.lane l join unnest(:lanes::text[], :holders::bigint[]) as g(lane, holder) on l.lane = g.lane and g.holder = any(l.holders)
  order by l.lane for update of l),
head as materialized (
  select w.* from held h cross join lateral (
    select * from pabal.waiting w where w.lane = h.lane order by w.id limit 1 for update skip locked) w),
moved as (delete from pabal.waiting w using head h where w.lane = h.lane and w.id = h.id),
passed as (update pabal.lane l set holders = array[h.id] from head h where l.lane = h.lane),
closed as (delete from pabal.lane l using held f where l.lane = f.lane and not exists (select from head h where h.lane = f.lane))
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select b.queue, b.priority, pabal.now(), h.id, h.token, h.failures, h.recoveries, h.snoozes from head h join pabal.work b on b.id = h.id
returning queue;

-- name: end_leases_without_token(ids, tokens, results, errors, datas)
-- By id alone, as most queues do it: a zombie ends the attempt of another.
with given as materialized (
  select * from unnest(:ids::bigint[], :tokens::bigint[], :results::text[], :errors::jsonb[], :datas::jsonb[]) as g(id, token, result, error, data)),
gone as materialized (delete from pabal.lease l using given g where l.id = g.id returning l.*, g.result, g.error),
ended as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
  select id, token, true, result, worker, started_at, pabal.now(), error from gone)
select id, token, lane from gone;
