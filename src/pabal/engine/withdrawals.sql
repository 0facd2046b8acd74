-- name: withdraw(ids, result, reason)
-- Ends jobs that nobody runs, wherever they are: place, outcome, key and occurrence in one statement.
with waiting as (delete from pabal.waiting where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
delayed as (delete from pabal.delayed where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
ready as (delete from pabal.ready where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
out as materialized (select * from waiting union all select * from delayed union all select * from ready),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from out)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence set "end" = pabal.occurrence_end(:result), reason = :reason, ended_at = pabal.now()
  where work_id = any(array(select id from out)) and "end" is null),
ended as (
  insert into pabal.outcome (id, token, final, result, ended_at, error)
  select id, token + 1, true, :result, pabal.now(), jsonb_build_object('reason', :reason::text) from out)
select w.id, out.token + 1 as token, w.kind, w.args, w.queue, w.lane, w.about, w.unit_id, out.failures, out.recoveries, out.snoozes,
       w.max_failures, w.max_recoveries, w.deadline, null::bigint as route_epoch, w.records_end is true as records_end
from out cross join lateral (select * from pabal.work w where w.id = out.id offset 0) w;

-- name: lock_leases(ids)
-- in the order of ids, as whoever holds several at once locks them
select id from pabal.lease where id = any(:ids::bigint[]) order by id for update;

-- name: flag_leases(ids)
update pabal.lease set cancel_at = coalesce(cancel_at, pabal.now()) where id = any(:ids::bigint[]) returning id;

-- name: list_ended(ids)
select id from pabal.outcome where id = any(:ids::bigint[]) and final;

-- name: list_known(ids)
select id from pabal.work where id = any(:ids::bigint[]);

-- name: ask(ids, reason)!
insert into pabal.withdrawal (id, reason) select id, :reason from unnest(:ids::bigint[]) as g(id) order by id on conflict do nothing;

-- name: take_asked(kinds, slice)
-- where its handler is known, for its give_up; one whose week was dropped is only forgotten
delete from pabal.withdrawal where id in (
  select a.id from pabal.withdrawal a
  where coalesce((select w.kind = any(:kinds::text[]) from pabal.work w where w.id = a.id), true)
  order by a.id limit :slice for update skip locked)
returning id, reason;

-- name: extend(ids, untils)!
with given as materialized (select * from unnest(:ids::bigint[], :untils::timestamptz[]) as g(id, until)),
before as (
  delete from pabal.expiry e where e.ctid = any(array(
    select e.place from given g
    cross join lateral (select w.expires_at from pabal.work w where w.id = g.id offset 0) w
    cross join lateral (
      select e.ctid as place from pabal.expiry e
      where e.id = g.id and e.expires_at = w.expires_at and e.expires_at <> g.until offset 0) e)))
insert into pabal.expiry (expires_at, id) select until, id from given on conflict do nothing;

-- name: list_expired(kinds, slice)
-- what runs is left alone: its own end, or its way back here, decides
select e.id from pabal.expiry e
where e.expires_at <= pabal.now() and (select l.id from pabal.lease l where l.id = e.id) is null
  and (select w.kind from pabal.work w where w.id = e.id) = any(:kinds::text[])
order by e.expires_at, e.id limit :slice;

-- name: forget_expiries(ids)!
delete from pabal.expiry e where e.expires_at <= pabal.now() and e.id = any(:ids::bigint[])
  and (select o.final from pabal.outcome o where o.id = e.id and o.final);

-- name: forget_orphaned_expiries()!
-- rows of jobs whose week was dropped
delete from pabal.expiry e where e.expires_at <= pabal.now() and (select w.id from pabal.work w where w.id = e.id) is null;
