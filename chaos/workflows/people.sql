-- name: count_open()
select count(*) from pabal.workflow_run where ended_at is null and parent_id is null;

-- name: list_workflows(but)
select id from pabal.workflow where name <> :but order by id;

-- name: list_waits()
-- ends of other workflows are told by themselves
select signal from pabal.workflow_wait where signal not like 'run:%' order by signal, run_id, step, item;

-- name: list_paused()
select id from pabal.workflow_run where state = 'paused' order by id;

-- name: list_meddled()
-- which verbs a run would bear now; of the latest ones
select r.id, v.definition, s.waits, s.failed, array_remove(array[
  case when r.state = 'running' then 'pause' end, case when r.state = 'paused' then 'resume' end,
  case when r.state in ('running', 'paused') then 'cancel' end, case when r.state in ('running', 'paused') and s.waits is not null then 'skip' end,
  case when r.state in ('failed', 'cancelled') and s.failed is not null and r.parent_id is null then 'retry' end], null) as verbs
from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id cross join lateral (
  select min(s.step) filter (where s.state = 'waiting') as waits, min(s.step) filter (where s.state in ('failed', 'cancelled') and not s.undo) as failed
  from pabal.workflow_step s where s.run_id = r.id and s.item = -1) s
order by r.id desc limit 60;
