-- name: list_in(state)
select id from pabal.workflow_run where state = :state order by id;

-- name: list_waits()
select signal from pabal.workflow_wait where signal not like 'run:%' order by signal;

-- name: count_open()
select (select count(*) from pabal.workflow_run where ended_at is null) + (select count(*) from pabal.ready) + (select count(*) from pabal.lease);

-- name: list_steps(run, states)
select v.definition->'steps'->s.step->>'name' as name
from pabal.workflow_step s join pabal.workflow_run r on r.id = s.run_id join pabal.workflow_version v on v.id = r.definition_id
where s.run_id = :run and s.item = -1 and not s.undo and s.state = any(:states::text[]) order by s.step;
