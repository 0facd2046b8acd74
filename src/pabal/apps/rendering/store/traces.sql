-- name: insert_attempt(render_id, number, worker_id, worker_name, now)!
insert into rendering.attempt (render_id, number, worker_id, worker_name, began_at) values (:render_id, :number, :worker_id, :worker_name, :now)
on conflict (render_id, number) do update set worker_id = excluded.worker_id, worker_name = excluded.worker_name, ended_at = null, result = null,
  reason = null, detail = null;

-- name: note_sent(render_id, number, uid, job_json, report)!
update rendering.attempt set nexrender_job_id = :uid, job_json = :job_json, mapping_report = :report where render_id = :render_id and number = :number;

-- name: end_attempt(render_id, number, result, reason, detail, now)!
update rendering.attempt set ended_at = :now, result = :result, reason = :reason, detail = :detail where render_id = :render_id and number = :number;

-- name: list_attempts(render_id)
select render_id, number, worker_id, worker_name, nexrender_job_id, mapping_report, began_at, ended_at, result, reason, detail
from rendering.attempt where render_id = :render_id order by number;

-- name: read_sent(render_id, number)
select job_json from rendering.attempt where render_id = :render_id and number = :number;

-- name: begin_stage(render_id, attempt, stage, now)!
insert into rendering.stage_time (render_id, attempt, stage, began_at) values (:render_id, :attempt, :stage, :now)
on conflict (render_id, attempt, stage) do update set ended_at = null;

-- name: end_stage(render_id, attempt, stage, now)!
update rendering.stage_time set ended_at = :now where render_id = :render_id and attempt = :attempt and stage = :stage and ended_at is null;

-- name: end_stages(render_id, attempt, now)!
update rendering.stage_time set ended_at = :now where render_id = :render_id and attempt = :attempt and ended_at is null;

-- name: list_stages(render_id)
select render_id, attempt, stage, began_at, ended_at from rendering.stage_time where render_id = :render_id order by attempt, began_at;

-- name: insert_line(render_id, at, level, worker, message)!
insert into rendering.log_line (render_id, at, level, worker, message) values (:render_id, :at, :level, :worker, :message);

-- name: list_lines(render_id, after, most)
select id, render_id, at, level, worker, message from rendering.log_line where render_id = :render_id and id > :after order by id limit :most;
