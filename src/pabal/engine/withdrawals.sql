-- name: withdraw(ids, result, reason)
-- Ends jobs that nobody runs, wherever they are: place, outcome, key and occurrence in one statement.
with waiting as (delete from pabal.waiting where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
delayed as (delete from pabal.delayed where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
ready as (delete from pabal.ready where id = any(:ids::bigint[]) returning id, token, failures, recoveries, snoozes),
out as materialized (select * from waiting union all select * from delayed union all select * from ready),
released as (delete from pabal.dedupe d using out where d.work_id = out.id and (d.until is null or d.until <= pabal.now())),
closed as (
  update pabal.occurrence o set "end" = pabal.occurrence_end(:result), reason = :reason, ended_at = pabal.now()
  from out where o.work_id = out.id and o."end" is null),
ended as (
  insert into pabal.outcome (id, token, final, result, ended_at, error)
  select id, token + 1, true, :result, pabal.now(), jsonb_build_object('reason', :reason::text) from out)
select w.id, out.token + 1 as token, w.kind, w.args, w.queue, w.lane, w.about, w.unit_id, out.failures, out.recoveries, out.snoozes,
       w.max_failures, w.max_recoveries, w.deadline, null::bigint as route_epoch
from out join pabal.work w on w.id = out.id;

-- name: flag_leases(ids)
update pabal.lease set cancel_at = coalesce(cancel_at, pabal.now()) where id = any(:ids::bigint[]) returning id;

-- name: list_ended(ids)
select id from pabal.outcome where id = any(:ids::bigint[]) and final;

-- name: list_known(ids)
select id from pabal.work where id = any(:ids::bigint[]);

-- name: list_expired(kinds, slice)
-- what runs is left alone: its own end, or its way back here, decides
select e.id from pabal.expiry e
where e.expires_at <= pabal.now() and not exists (select from pabal.lease l where l.id = e.id)
  and exists (select from pabal.work w where w.id = e.id and w.kind = any(:kinds::text[]))
order by e.expires_at, e.id limit :slice;

-- name: forget_expiries(ids)!
delete from pabal.expiry e where e.expires_at <= pabal.now() and e.id = any(:ids::bigint[])
  and exists (select from pabal.outcome o where o.id = e.id and o.final);

-- name: forget_orphaned_expiries()!
-- rows of jobs whose week was dropped
delete from pabal.expiry e where e.expires_at <= pabal.now() and not exists (select from pabal.work w where w.id = e.id);
