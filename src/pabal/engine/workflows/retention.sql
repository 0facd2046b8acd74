-- name: delete_runs(before, most_runs, most_steps)
-- A run goes with what it waited for, not before: whoever opens it can still follow where it led. One that is being retried is passed over.
with old as materialized (
  select r.id, sum(r.opened) over (order by r.ended_at, r.id) - r.opened as before_it
  from pabal.workflow_run r
  where r.ended_at < :before
    and not exists (select from pabal.workflow_run p where p.id = r.parent_id and (p.ended_at is null or p.ended_at >= :before))
  order by r.ended_at, r.id limit :most_runs),
taken as materialized (
  select r.id, r.unit_id, w.seen_by from pabal.workflow_run r join pabal.workflow w on w.id = r.workflow_id
  where r.id in (select id from old where before_it < :most_steps) and r.ended_at < :before for update of r skip locked),
steps as (delete from pabal.workflow_step s using taken t where s.run_id = t.id),
waits as (delete from pabal.workflow_wait w using taken t where w.run_id = t.id),
kept as (delete from pabal.workflow_signal k using taken t where k.run_id = t.id),
notes as (delete from pabal.workflow_note n using taken t where n.run_id = t.id),
gone as (delete from pabal.workflow_run r using taken t where r.id = t.id)
select id, unit_id, seen_by from taken order by id;
