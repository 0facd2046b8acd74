-- name: fill_ended(unit_id, composition_id, count, gfx_data)!
-- a month of them, one in thirty failed, each with the time its rendering took
with made as (
  insert into rendering.render (unit_id, state, version, composition_id, composition_name, gfx_data, content_hash, broadcast_date, requested_by,
    stage, output_file_path, started_at, completed_at, created_at, updated_at, duration_seconds, error_code)
  select :unit_id, case when n % 30 = 0 then 'failed' else 'completed' end, 6, :composition_id, '_MAIN Bench', :gfx_data, md5(n::text), at::date,
    'engine', 'done', '/nas/' || n, at, at + interval '20 seconds', at, at + interval '20 seconds', 20, case when n % 30 = 0 then 'stalled' end
  from generate_series(1, :count::int) n cross join lateral (select pabal.now() - (:count::int - n) * (interval '30 days' / :count::int) as at) m
  returning id, created_at)
insert into rendering.stage_time (render_id, attempt, stage, began_at, ended_at)
select id, 1, 'render', created_at, created_at + interval '18 seconds' from made;

-- name: fill_waiting(unit_id, composition_id, count, gfx_data)
insert into rendering.render (unit_id, composition_id, composition_name, gfx_data, content_hash, broadcast_date, requested_by)
select :unit_id, :composition_id, '_MAIN Bench', :gfx_data, 'w' || n, pabal.now()::date, 'engine' from generate_series(1, :count::int) n returning id;
