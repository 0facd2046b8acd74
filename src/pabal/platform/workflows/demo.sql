-- name: delete_demo_questions()!
-- unit: the demo's own
with units as materialized (select id from pabal.unit where is_demo),
gone as (delete from pabal.workflow_question q using units u where q.unit_id = u.id returning q.id)
delete from pabal.approval a using gone g where a.machine = 'workflow_question' and a.subject = g.id;

-- name: delete_demo_workflows()!
-- unit: the demo's own; jobs that are left find no step, and end
with mine as materialized (select w.id from pabal.workflow w join pabal.unit u on u.id = w.unit_id where u.is_demo),
runs as (delete from pabal.workflow_run r using mine m where r.workflow_id = m.id returning r.id),
steps as (delete from pabal.workflow_step s using runs r where s.run_id = r.id),
waits as (delete from pabal.workflow_wait w using runs r where w.run_id = r.id),
kept as (delete from pabal.workflow_signal k using runs r where k.run_id = r.id),
notes as (delete from pabal.workflow_note n using runs r where n.run_id = r.id),
versions as (delete from pabal.workflow_version v using mine m where v.workflow_id = m.id)
delete from pabal.workflow w using mine m where w.id = m.id;
