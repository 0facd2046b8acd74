-- Two habits of every hot statement, because engine connections keep generic plans and a plan may be made while a table is
-- empty: (1) a join to a table is a lateral look-up that cannot be pulled up (offset 0), so that its index condition always
-- wins; (2) rows are removed by their key in an array, or by ctid where they are never updated.

-- name: claim(worker, queues, priorities, floors, ceilings, total)
-- Queues in the wanted order. No outer order by: it would lock the limit of every queue.
-- floor: where the last claim of this queue ended, less a margin, so that an old snapshot's dead rows are not walked again.
-- ceiling: a sweep looks only below the floor, for what committed late.
-- The life is held first of all: an idle server claims with this one statement and nothing around it.
-- One that drains gets nothing, also where it has not heard of it yet: whoever sees a later job sees the drain too.
-- A deadline counts from the handler's start, for which a slot has a second (slots.py).
with me as materialized (select id from pabal.worker where id = :worker and until > pabal.real_now() and drain_at is null for key share),
picked as materialized (
  select r.* from unnest(:queues::text[], :priorities::smallint[], :floors::timestamptz[], :ceilings::timestamptz[])
    as q(queue, priority, floor, ceiling)
  cross join lateral (
    select r.ctid as place, r.queue, r.ready_at, r.id, r.token, r.failures, r.recoveries, r.snoozes from pabal.ready r
    where (select id from me) is not null
      and r.queue = q.queue and r.priority = q.priority and r.ready_at >= q.floor and r.ready_at < q.ceiling
    order by r.ready_at, r.id limit :total for update skip locked) r
  limit :total),
gone as (delete from pabal.ready where ctid = any(array(select place from picked))),
body as materialized (
  select p.id, p.token + 1 as token, w.kind, w.args, p.queue, w.lane, w.about, w.unit_id, p.failures, p.recoveries, p.snoozes,
         w.max_failures, w.max_recoveries, w.deadline, null::bigint as route_epoch, w.records_end is true as records_end,
         -- only one that was tried before can have a report
         case when p.token > 0 then (
           select jsonb_build_object('progress', t.progress, 'checkpoint', t.checkpoint) from pabal.report t where t.id = p.id) end as reported,
         p.ready_at, w.priority
  from picked p cross join lateral (select * from pabal.work w where w.id = p.id offset 0) w),
taken as (
  insert into pabal.lease (id, token, worker, queue, lane, failures, recoveries, snoozes, started_at, deadline)
  select id, token, :worker, queue, lane, failures, recoveries, snoozes, pabal.now(), pabal.now() + deadline + interval '1 second' from body)
select * from body;

-- name: claim_routed(worker, routes, kinds, priorities, share, total)
-- Priority first, over all routes in the given order; of one priority each route at most its share, so that a long one leaves
-- room to the others. Where a route has more than its share, lower priorities wait for the next call (`upto`).
-- The share lock on the route makes a takeover wait for this claim, and this claim skip a route that is moving.
with mine as materialized (
  select r.route, r.epoch from unnest(:routes::text[]) as g(route) cross join lateral (
    select r.route, r.epoch from pabal.route r where r.route = g.route and r.worker = :worker
      and (select drain_at is null from pabal.worker where id = :worker) offset 0 for share skip locked) r),
upto as materialized (
  select min(p.priority) as priority from unnest(:priorities::smallint[]) as p(priority)
  where :share::int < :total::int and exists (
    select from mine m cross join lateral (
      select from pabal.ready r where r.queue = m.route and r.priority = p.priority
        and (select w.kind from pabal.work w where w.id = r.id) = any(:kinds::text[])
      order by r.ready_at, r.id offset :share limit 1) more)),
picked as materialized (
  select r.*, m.epoch from unnest(:priorities::smallint[]) as p(priority)
  cross join lateral (select m.* from mine m where p.priority <= coalesce((select priority from upto), 3) offset 0) m
  cross join lateral (
    select r.ctid as place, r.queue, r.ready_at, r.id, r.token, r.failures, r.recoveries, r.snoozes from pabal.ready r
    where r.queue = m.route and r.priority = p.priority
      and (select w.kind from pabal.work w where w.id = r.id) = any(:kinds::text[])
    order by r.ready_at, r.id limit :share for update skip locked) r
  limit :total),
gone as (delete from pabal.ready where ctid = any(array(select place from picked))),
body as materialized (
  select p.id, p.token + 1 as token, w.kind, w.args, p.queue, w.lane, w.about, w.unit_id, p.failures, p.recoveries, p.snoozes,
         w.max_failures, w.max_recoveries, w.deadline, p.epoch as route_epoch, w.records_end is true as records_end,
         -- only one that was tried before can have a report
         case when p.token > 0 then (
           select jsonb_build_object('progress', t.progress, 'checkpoint', t.checkpoint) from pabal.report t where t.id = p.id) end as reported,
         p.ready_at, w.priority
  from picked p cross join lateral (select * from pabal.work w where w.id = p.id offset 0) w),
taken as (
  insert into pabal.lease (id, token, worker, route_epoch, queue, lane, failures, recoveries, snoozes, started_at, deadline)
  select id, token, :worker, route_epoch, queue, lane, failures, recoveries, snoozes, pabal.now(), pabal.now() + deadline + interval '1 second' from body)
select * from body;

-- name: take_inside(queue, priority, total)
-- Inside work has no lease: it leaves `ready` and gets its outcome in one transaction.
with picked as materialized (
  select r.ctid as place, r.* from pabal.ready r where r.queue = :queue and r.priority = :priority
  order by r.ready_at, r.id limit :total for update skip locked),
gone as (delete from pabal.ready where ctid = any(array(select place from picked)))
select p.id, p.token + 1 as token, w.kind, w.args, p.queue, w.lane, w.about, w.unit_id, p.failures, p.recoveries, p.snoozes,
       w.max_failures, w.max_recoveries, w.deadline, null::bigint as route_epoch, w.records_end is true as records_end,
       exists (select from pabal.suspect s where s.name = 'inside:' || :queue::text) as is_suspect
from picked p cross join lateral (select * from pabal.work w where w.id = p.id offset 0) w order by p.ready_at, p.id;

-- name: end_inside(ids, tokens, worker)!
with given as materialized (select * from unnest(:ids::bigint[], :tokens::bigint[]) as g(id, token)),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from given)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence set "end" = 'done', ended_at = pabal.now() where work_id = any(array(select id from given)) and "end" is null)
insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at)
select id, token, true, 'done', :worker, pabal.now(), pabal.now() from given;

-- name: find_leases(ids, tokens)
-- Locks what is still ours; what another is touching right now is busy and comes back with the next flush.
select l.id, l.token, l.cancel_at is not null as is_cancelled
from unnest(:ids::bigint[], :tokens::bigint[]) as g(id, token)
cross join lateral (
  select l.* from pabal.lease l where l.id = g.id and l.token = g.token offset 0 for update skip locked) l;

-- name: open_fenced(id, token)
-- The fence, as the first statement of a transaction, which also reads the moment. Waits: the one attempt that may write is the one
-- whose token the lease has.
select pabal.now(), (select l.id from pabal.lease l where l.id = :id and l.token = :token for update) as id;

-- name: open_routed(id, token, queue)
-- The same for work of a route, which is locked first, as rescue does: the lease is looked for once the route has answered.
with mine as materialized (select epoch from pabal.route where route = :queue for share),
held as materialized (
  select l.id from (select count(*) from mine) m cross join lateral (
    select l.id from pabal.lease l where l.id = :id and l.token = :token and m.count >= 0 offset 0 for update) l)
select pabal.now(), (select id from held) as id, (select epoch from mine) as epoch;

-- name: open_held(ids, tokens, queues)
-- the fence for many at once, as the first statement of a transaction
with held as materialized (select * from pabal.hold(:ids::bigint[], :tokens::bigint[], :queues::text[]))
select pabal.now(), array(select id from held order by id, token) as ids, array(select token from held order by id, token) as tokens,
  array(select epoch from held order by id, token) as epochs;

-- name: hold_routes(queues)
select route, epoch from pabal.route where route = any(:queues::text[]) order by route for share;

-- name: end_leases(ids, tokens, results, errors, datas)
-- The end of the attempt and of the job: outcome, key, occurrence, in the commit that removes the lease. No results
-- means that all are done: the common case, which then sends half as much.
with given as materialized (
  select * from unnest(:ids::bigint[], :tokens::bigint[], :results::text[], :errors::jsonb[], :datas::jsonb[]) as g(id, token, result, error, data)),
held as materialized (
  select l.id, l.token, l.worker, l.lane, l.started_at, coalesce(g.result, 'done') as result, g.error, g.data from given g cross join lateral (
    select l.* from pabal.lease l where l.id = g.id and l.token = g.token offset 0 for update skip locked) l),
gone as (delete from pabal.lease where id = any(array(select id from held))),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from held)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence o set "end" = pabal.occurrence_end(f.result), reason = coalesce(f.error->>'reason', o.reason), ended_at = pabal.now()
  from (
    select o.place, h.result, h.error from held h cross join lateral (
      select o.ctid as place from pabal.occurrence o where o.work_id = h.id and o."end" is null offset 0) o) f
  where o.ctid = f.place),
ended as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error, data)
  select id, token, true, result, worker, started_at, pabal.now(), error, data from held)
select id, token, lane from held;

-- name: delay_leases(ids, tokens, results, errors, dues, reasons, failed, snoozed)
-- The end of the attempt, not of the job: it comes back when it is due. This transaction has locked the leases before (find_leases).
with given as materialized (
  select * from unnest(:ids::bigint[], :tokens::bigint[], :results::text[], :errors::jsonb[], :dues::timestamptz[], :reasons::text[],
    :failed::smallint[], :snoozed::smallint[]) as g(id, token, result, error, due_at, reason, failed, snoozed)),
held as materialized (
  select l.*, g.result, g.error, g.due_at, g.reason, g.failed, g.snoozed from given g cross join lateral (
    select l.* from pabal.lease l where l.id = g.id and l.token = g.token offset 0) l),
gone as (delete from pabal.lease where id = any(array(select id from held))),
noted as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
  select id, token, false, result, worker, started_at, pabal.now(), error from held),
later as (
  insert into pabal.delayed (due_at, id, reason, token, failures, recoveries, snoozes)
  select due_at, id, reason, token, failures + failed, recoveries, snoozes + snoozed from held)
select id, token, lane from held;

-- name: return_leases(ids, tokens, turns, recovered, errors)
-- Handed back, the lane is kept, and so is its turn in the queue where that is known. Nothing is counted but what was lost.
-- Not what was cancelled since somebody looked: it would run again.
with held as materialized (
  select l.*, coalesce(g.turn, pabal.now()) as turn, coalesce(g.recovered, 0) as recovered, g.error
  from unnest(:ids::bigint[], :tokens::bigint[], :turns::timestamptz[], :recovered::smallint[], :errors::jsonb[])
    as g(id, token, turn, recovered, error) cross join lateral (
    select l.* from pabal.lease l where l.id = g.id and l.token = g.token and l.cancel_at is null offset 0 for update skip locked) l),
gone as (delete from pabal.lease where id = any(array(select id from held))),
noted as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
  select id, token, false, case when recovered > 0 then 'lost' else 'returned' end, worker, started_at, pabal.now(), error from held),
again as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select h.queue, w.priority, h.turn, h.id, h.token, h.failures, h.recoveries + h.recovered, h.snoozes
  from held h cross join lateral (select * from pabal.work w where w.id = h.id offset 0) w)
select id, token, queue, lane, turn as ready_at from held;

-- name: note_stale(ids, tokens, worker, results)
-- Neither settled nor still leased: somebody else has it, or it ended. What we settled ourselves before a lost answer is not stale.
with given as (select * from unnest(:ids::bigint[], :tokens::bigint[], :results::text[]) as g(id, token, result)),
stale as (
  select g.* from given g where (select l.id from pabal.lease l where l.id = g.id and l.token = g.token) is null),
noted as (
  insert into pabal.stale (id, token, worker, result, at)
  select s.id, s.token, :worker, s.result, pabal.now() from stale s
  where (select o.id from pabal.outcome o where o.id = s.id and o.token = s.token and o.worker = :worker
         and not coalesce((o.error->>'taken')::boolean, false)) is null
  returning id, token)
select s.id, s.token, exists (select from noted n where n.id = s.id and n.token = s.token) as is_noted from stale s;

-- name: list_leases(worker)
-- a cancelled one must not start again: it is ended by whoever takes overdue leases
select id, token from pabal.lease where worker = :worker and cancel_at is null;

-- name: lease_inside(id, token)
-- an inside job that failed alone, or was lost, gets a lease for a moment, so that this is settled like any other end
with gone as (delete from pabal.ready where id = :id and token = :token - 1 returning *),
body as materialized (
  select g.id, g.token + 1 as token, w.kind, w.args, g.queue, w.lane, w.about, w.unit_id, g.failures, g.recoveries, g.snoozes,
         w.max_failures, w.max_recoveries, w.deadline, null::bigint as route_epoch, w.records_end is true as records_end
  from gone g cross join lateral (select * from pabal.work w where w.id = g.id offset 0) w),
leased as (
  insert into pabal.lease (id, token, worker, queue, lane, failures, recoveries, snoozes, started_at)
  select id, token, 0, queue, lane, failures, recoveries, snoozes, pabal.now() from body)
select * from body;
