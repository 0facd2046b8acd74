-- name: list_runs()
select n.uid::text as id, n.id as number, n.rule_id, n.scheduled_at, n.state, n.version, n.reason, n.attempt, n.count, n.artifacts,
  r.execution_script_path is not null as has_script
from rules.run n join rules.rule r on r.id = n.rule_id order by n.id;

-- name: list_transitions()
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = 'rule_run' order by subject, version;

-- name: list_moments()
-- what the engine decided about each moment of each rule
select (s.args->>'rule')::bigint as rule_id, o.fire_at, o.decision, o."end", o.count from pabal.occurrence o
join pabal.schedule s on s.id = o.schedule_id where s.kind = 'rules.run' order by 1, 2;

-- name: list_events(name)
select e.id from pabal.event e where e.name = :name;

-- name: list_files()
select f.id, f.key, f.size, f.sha256, coalesce((select array_agg(u.about) from pabal.file_use u where u.file_id = f.id), '{}') as uses
from pabal.file f order by f.id;

-- name: count_jobs()
select count(*) from pabal.work w where w.kind = 'rules.run' and (
  exists (select from pabal.ready p where p.id = w.id) or exists (select from pabal.waiting p where p.id = w.id)
  or exists (select from pabal.delayed p where p.id = w.id) or exists (select from pabal.lease p where p.id = w.id));

-- name: count_left()
select (select count(*) from rules.run where state = 'running') + (select count(*) from pabal.lease)
     + (select count(*) from pabal.occurrence where "end" is null and work_id > 0) as left;

-- name: pause_all()!
-- at the end nothing new becomes due
update pabal.schedule set paused_at = pabal.now(), paused_by = 'survival' where paused_at is null;
