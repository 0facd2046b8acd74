-- name: has_story()
select exists (select from pabal.workflow_run);

-- name: list_asked()
select signal from pabal.workflow_wait where signal like 'ask:%';

-- name: is_over()
select not exists (select from pabal.workflow_run where ended_at is null)
  and not exists (select from pabal.ready) and not exists (select from pabal.lease);

-- name: list_written()
select data->>'key' as key, count(*) as times from pabal.fact where name = 'victim.written' group by 1 order by 1;

-- name: list_ends()
select w.name, r.input->>'fails' as fails, r.state, array_agg(s.state order by s.step, s.item, s.undo) as steps
from pabal.workflow_run r join pabal.workflow w on w.id = r.workflow_id join pabal.workflow_step s on s.run_id = r.id
group by r.id, w.name order by r.id;

-- name: count_waits()
select (select count(*) from pabal.workflow_wait) + (select count(*) from pabal.workflow_signal);
