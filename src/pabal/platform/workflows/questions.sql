-- name: insert_question(unit_id, state, run, step, key, title, text)
insert into pabal.workflow_question (unit_id, state, run_id, step, call_key, title, text, asked_at)
values (:unit_id, :state, :run, :step, :key, :title, :text, pabal.now()) returning id;

-- name: find_open_question(key)
select id from pabal.workflow_question where call_key = :key and state = 'open';

-- name: load_questions(ids)
select q.id, q.unit_id, q.run_id, q.step, q.title, q.text, q.asked_at, w.name as workflow
from pabal.workflow_question q join pabal.workflow_run r on r.id = q.run_id join pabal.workflow w on w.id = r.workflow_id
where q.id = any(:ids::bigint[]) order by q.id;

-- name: find_seen_by(run)
select w.seen_by from pabal.workflow_run r join pabal.workflow w on w.id = r.workflow_id where r.id = :run;
