-- name: list_settled(ids, next_ats)
-- What has a decision already among the moments that have none: asked in advance, or triggered.
-- The row comparison fits the primary key alone, and offset 0 keeps the lateral from being pulled up: a generic plan made
-- while the table was empty otherwise walks it once for each schedule.
select o.schedule_id, o.fire_at from unnest(:ids::bigint[], :next_ats::timestamptz[]) as g(id, next_at)
join lateral (
  select o.schedule_id, o.fire_at from pabal.occurrence o
  where o.schedule_id = g.id and (o.schedule_id, o.fire_at) >= (g.id, g.next_at) offset 0) o on true
order by o.schedule_id, o.fire_at;

-- name: list_open(ids)
-- one look for each: a list of ids made the planner read everything that is open
select g.id as schedule_id from unnest(:ids::bigint[]) as g(id)
join lateral (select from pabal.occurrence o where o.schedule_id = g.id and o."end" is null and o.work_id > 0 limit 1) o on true;

-- name: list_open_jobs(ids)
select o.work_id as id from unnest(:ids::bigint[]) as g(id)
join lateral (select o.work_id from pabal.occurrence o where o.schedule_id = g.id and o."end" is null and o.work_id > 0 offset 0) o on true;

-- name: insert_occurrences(schedule_ids, units, fire_ats, decisions, work_ids, reasons, intos, actor)!
insert into pabal.occurrence (schedule_id, unit_id, fire_at, decision, work_id, reason, into_at, decided_at, actor)
select g.*, pabal.now(), :actor from unnest(:schedule_ids::bigint[], :units::bigint[], :fire_ats::timestamptz[], :decisions::text[],
  :work_ids::bigint[], :reasons::text[], :intos::timestamptz[]) as g;

-- name: insert_run(schedule_id, unit_id, fire_at, decision, reason, into_at, through, count)!
-- A long outage is worked off in several ticks; if nothing lies between, its run goes on in the same row.
with before as materialized (
  select o.fire_at, o.decision, o.reason, o.through from pabal.occurrence o
  where o.schedule_id = :schedule_id and o.fire_at < :fire_at order by o.fire_at desc limit 1),
longer as (
  update pabal.occurrence o set through = :through, count = o.count + :count, into_at = coalesce(:into_at, o.into_at) from before b
  where o.schedule_id = :schedule_id and o.fire_at = b.fire_at and b.through is not null and b.decision = :decision and b.reason = :reason
  returning 1)
insert into pabal.occurrence (schedule_id, unit_id, fire_at, decision, reason, into_at, decided_at, through, count)
select :schedule_id, :unit_id::bigint, :fire_at, :decision, :reason, :into_at, pabal.now(), :through, :count where not exists (select from longer);

-- name: move_on(ids, next_ats)!
-- locked by this transaction, so a schedule's place is sure
update pabal.schedule s set next_at = f.next_at
from (
  select s.place, g.next_at from unnest(:ids::bigint[], :next_ats::timestamptz[]) as g(id, next_at) cross join lateral (
    select s.ctid as place from pabal.schedule s where s.id = g.id offset 0) s) f
where s.ctid = f.place;

-- name: insert_asked(schedule_id, unit_id, fire_at, actor)!
insert into pabal.occurrence (schedule_id, unit_id, fire_at, decision, reason, decided_at, actor)
values (:schedule_id, :unit_id, :fire_at, 'skipped', 'asked', pabal.now(), :actor) on conflict do nothing;

-- name: list_asked(schedule_ids, after)
select o.schedule_id, o.fire_at from unnest(:schedule_ids::bigint[]) as g(id)
join lateral (
  select o.schedule_id, o.fire_at from pabal.occurrence o
  where o.schedule_id = g.id and (o.schedule_id, o.fire_at) > (g.id, :after::timestamptz)
    and o.decision = 'skipped' and o.reason = 'asked' offset 0) o on true
order by o.schedule_id, o.fire_at;

-- name: delete_asked(schedule_id, fire_ats)!
delete from pabal.occurrence where schedule_id = :schedule_id and fire_at = any(:fire_ats::timestamptz[])
  and decision = 'skipped' and reason = 'asked' and fire_at > pabal.now();

-- name: find_occurrence(schedule_id, fire_at)
select schedule_id, fire_at, decision, work_id, "end", reason, decided_at, ended_at, into_at, through, count, actor, unit_id
from pabal.occurrence where schedule_id = :schedule_id and fire_at = :fire_at;

-- name: list_overlapped(schedule_ids, after, most)
-- one look for each: the row comparison fits the primary key
select g.id as schedule_id, o.fire_at, o.count from unnest(:schedule_ids::bigint[], :after::timestamptz[]) as g(id, after)
join lateral (
  select o.fire_at, o.count from pabal.occurrence o
  where o.schedule_id = g.id and (o.schedule_id, o.fire_at) > (g.id, g.after) and o.reason = 'overlap' and o.decision <> 'enqueued'
  order by o.fire_at desc limit :most) o on true;

-- name: list_occurrences(schedule_id, before, limit_rows)
select schedule_id, fire_at, decision, work_id, "end", reason, decided_at, ended_at, into_at, through, count, actor, unit_id
from pabal.occurrence where schedule_id = :schedule_id and (:before::timestamptz is null or fire_at < :before)
order by fire_at desc limit :limit_rows;
