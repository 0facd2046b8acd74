-- name: list_waiting(most)
-- Of all units: whoever waits, waits behind everybody.
select id, composition_id from rendering.render where state = 'pending' order by priority, id limit :most;

-- name: list_working()
select * from rendering.render_row where state in ('preparing', 'rendering', 'encoding', 'uploading') or is_winding_down order by id;

-- name: list_needed()
select * from rendering.render_row
where on_air_at is not null and state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading') order by id;

-- name: list_past_of(composition_ids, most)
-- How long each stage of the last renders of several compositions took.
select c.id as composition_id, r.id as render_id, t.stage, extract(epoch from t.ended_at - t.began_at)::float as seconds
from unnest(:composition_ids::text[]) as c (id)
cross join lateral (select id, attempt, completed_at from rendering.render where composition_id = c.id and state = 'completed'
  order by completed_at desc limit :most) r
join rendering.stage_time t on t.render_id = r.id and t.attempt = r.attempt
where t.ended_at is not null order by r.completed_at desc, r.id desc;

-- name: list_open(units, states, composition_id, worker_id, q, most)
-- What renders, then what waits in the order in which it is taken.
select r.*, count(*) over ()::int as total from rendering.render_row r
where (r.state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading') or r.is_winding_down)
  and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) and (:states::text[] is null or r.state = any(:states::text[]))
  and (:composition_id::text is null or r.composition_id = :composition_id) and (:worker_id::uuid is null or r.worker_id = :worker_id)
  and (:q::text is null or strpos(lower(r.composition_name), lower(:q)) > 0 or r.cue_item_id = :q or r.id::text = :q)
order by (r.state = 'pending'), case when r.state = 'pending' then r.priority else 0 end, r.id limit :most;

-- name: list_ended(units, states, composition_id, q, since, most)
select r.*, count(*) over ()::int as total from rendering.render_row r
where r.state in ('completed', 'failed', 'cancelled') and not r.is_winding_down and r.updated_at >= :since
  and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) and (:states::text[] is null or r.state = any(:states::text[]))
  and (:composition_id::text is null or r.composition_id = :composition_id)
  and (:q::text is null or strpos(lower(r.composition_name), lower(:q)) > 0 or r.cue_item_id = :q or r.id::text = :q)
order by r.updated_at desc, r.id desc limit :most;

-- name: read_figures(units, now)
-- The queue as a whole, whatever its age; the average is of the last 100 of a day, and the success rate of a day.
with own as (select * from rendering.render where :units::bigint[] is null or unit_id = any(:units::bigint[])),
  last as (select duration_seconds from own where state = 'completed' and completed_at >= :now::timestamptz - interval '1 day'
    order by completed_at desc limit 100)
select
  (select count(*) from own where state = 'pending')::int as pending,
  (select count(*) from own where state = 'pending' and created_at >= :now::timestamptz - interval '1 hour')::int as pending_last_hour,
  (select min(created_at) from own where state = 'pending') as oldest_pending_at,
  (select count(*) from own where state in ('preparing', 'rendering', 'encoding', 'uploading'))::int as working,
  (select avg(duration_seconds) from last) as average_seconds,
  (select percentile_cont(0.5) within group (order by duration_seconds) from last) as median_seconds,
  (select count(*) from last)::int as measured,
  (select count(*) from own where state = 'completed' and completed_at >= :now::timestamptz - interval '1 day')::int as completed,
  (select count(*) from own where state = 'failed' and updated_at >= :now::timestamptz - interval '1 day')::int as failed;

-- name: count_failed(units, since)
select count(*)::int from rendering.render where state = 'failed' and updated_at >= :since
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: list_by_composition(units, since, until)
select composition_id, max(composition_name) as composition_name,
  count(*) filter (where state = 'completed')::int as completed, count(*) filter (where state = 'failed')::int as failed,
  percentile_cont(0.5) within group (order by duration_seconds) filter (where state = 'completed') as median_seconds,
  percentile_cont(0.95) within group (order by duration_seconds) filter (where state = 'completed') as slow_seconds,
  max(updated_at) as last_at
from rendering.render where state in ('completed', 'failed') and updated_at >= :since and updated_at < :until
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
group by composition_id order by count(*) desc, composition_id;

-- name: list_by_day(units, since, until, zone)
select (updated_at at time zone :zone)::date as day, count(*) filter (where state = 'completed')::int as completed,
  count(*) filter (where state = 'failed')::int as failed, count(*) filter (where state = 'cancelled')::int as cancelled
from rendering.render where state in ('completed', 'failed', 'cancelled') and updated_at >= :since and updated_at < :until
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
group by 1 order by 1;

-- name: list_by_reason(units, since, until)
select coalesce(error_code, 'unexpected') as code, count(*)::int as count from rendering.render
where state = 'failed' and updated_at >= :since and updated_at < :until and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
group by 1 order by 2 desc, 1;

-- name: find_previous(composition_id, but, before, units)
-- The last one of the same composition that was finished before this one, or at all while this one is not.
select * from rendering.render_row r where r.composition_id = :composition_id and r.state = 'completed' and r.id <> :but
  and (:before::timestamptz is null or r.completed_at <= :before) and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) order by r.completed_at desc limit 1;

-- name: list_named(units)
select id, name from rendering.composition where :units::bigint[] is null or unit_id = any(:units::bigint[]) order by name, id limit 500;

-- name: list_compositions(units, q, after, most)
select c.id, c.unit_id, c.name, c.template_src, c.output_module, c.output_ext, c.width, c.height, c.codec, c.duration_seconds, c.duration_tolerance,
  c.flag_path_template, c.text_limits, c.updated_at,
  (select count(*) from rendering.field_mapping m where m.composition_id = c.id)::int as fields
from rendering.composition c
where c.id > :after and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
  and (:q::text is null or strpos(lower(c.name), lower(:q)) > 0 or strpos(lower(c.id), lower(:q)) > 0)
order by c.id limit :most;

-- name: list_field_mappings(units, composition_id, after_composition, after_field, most)
select m.composition_id, m.field_name, m.layer_name, m.kind, m.property from rendering.field_mapping m
join rendering.composition c on c.id = m.composition_id
where (:units::bigint[] is null or c.unit_id = any(:units::bigint[])) and (:composition_id::text is null or c.id = :composition_id)
  and (m.composition_id, m.field_name) > (:after_composition::text, :after_field::text)
order by m.composition_id, m.field_name limit :most;

-- name: find_worker_name(name)
select id from rendering.slot where lower(name) = lower(:name) order by id limit 5;

-- name: read_gfx_of(ids)
select id, gfx_data from rendering.render where id = any(:ids::bigint[]);

-- name: list_last_lines(render_id, most)
select * from (select id, render_id, at, level, worker, message from rendering.log_line where render_id = :render_id order by id desc limit :most) l
order by id;

-- name: list_recent_of(composition_id, units)
select * from rendering.render_row r where r.composition_id = :composition_id and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
order by r.id desc limit 5;
