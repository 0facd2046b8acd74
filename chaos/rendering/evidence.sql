-- name: list_renders()
select id, state, version, attempt, error_code, error_message, output_file_path, output_size, output_sha256, recovery_count,
  worker_id is not null as is_held, is_winding_down
from rendering.render order by id;

-- name: list_attempts()
select render_id, number, result, reason from rendering.attempt order by render_id, number;

-- name: list_transitions()
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = 'render' order by subject, version;

-- name: list_lines()
select id, render_id, at, level, worker, message from rendering.log_line order by id;

-- name: count_jobs()
-- of rendering, wherever they are
select count(*) from pabal.work w where w.kind like 'rendering.%' and (
  exists (select from pabal.ready p where p.id = w.id) or exists (select from pabal.waiting p where p.id = w.id)
  or exists (select from pabal.delayed p where p.id = w.id) or exists (select from pabal.lease p where p.id = w.id));

-- name: count_left()
select (select count(*) from rendering.render where state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading') or is_winding_down)
     + (select count(*) from pabal.lease) as left;
