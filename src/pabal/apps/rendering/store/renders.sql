-- name: insert_render(unit_id, composition_id, composition_name, gfx_data, content_hash, cue_item_id, broadcast_date, priority, on_air_at, requested_by, now)
insert into rendering.render (unit_id, composition_id, composition_name, gfx_data, content_hash, cue_item_id, broadcast_date, priority,
  on_air_at, requested_by, created_at, updated_at)
values (:unit_id, :composition_id, :composition_name, :gfx_data, :content_hash, :cue_item_id, :broadcast_date, :priority,
  :on_air_at, :requested_by, :now, :now) returning id;

-- name: set_job(id, job_id)!
update rendering.render set job_id = :job_id, seen_recoveries = 0 where id = :id;

-- name: find_render(id)
select * from rendering.render_row where id = :id;

-- name: hold_render(id)
select * from rendering.render_row where id = :id for no key update;

-- name: hold_renders(ids)
select * from rendering.render_row where id = any(:ids::bigint[]) order by id for no key update;

-- name: read_gfx(id)
select gfx_data from rendering.render where id = :id;

-- name: list_renders(units, states, composition_id, cue_item_id, worker_id, since, until, q, before, most)
select * from rendering.render_row r
where r.id < :before and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
  and (:states::text[] is null or r.state = any(:states::text[]))
  and (:composition_id::text is null or r.composition_id = :composition_id)
  and (:cue_item_id::text is null or r.cue_item_id = :cue_item_id)
  and (:worker_id::uuid is null or r.worker_id = :worker_id)
  and (:since::timestamptz is null or r.created_at >= :since) and (:until::timestamptz is null or r.created_at < :until)
  and (:q::text is null or strpos(lower(r.composition_name), lower(:q)) > 0 or r.cue_item_id = :q or r.id::text = :q)
order by r.id desc limit :most;

-- name: list_queue(units, most)
-- In the order in which they are taken.
select * from rendering.render_row r where r.state = 'pending' and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
order by r.priority, r.id limit :most;

-- name: find_oldest()
-- The poll: is there something to take, and what.
select id, composition_id, gfx_data, cue_item_id from rendering.render where state = 'pending' order by priority, id limit 1;

-- name: list_ids(units, states, composition_id, error_code, since, until, most)
select r.id from rendering.render r
where r.state = any(:states::text[]) and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
  and (:composition_id::text is null or r.composition_id = :composition_id)
  and (:error_code::text is null or r.error_code = :error_code)
  and (:since::timestamptz is null or r.created_at >= :since) and (:until::timestamptz is null or r.created_at < :until)
order by r.id limit :most;

-- name: find_same(hash, units)
select * from rendering.render_row r where r.content_hash = :hash and r.state = 'completed'
  and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) order by r.id desc limit 1;

-- name: count_by_state(units)
select r.state, count(*)::int as count from rendering.render r
where r.state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading') and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
group by r.state;

-- name: claim(id, worker_id, worker_name, lock_until, recoveries, now)!
update rendering.render set worker_id = :worker_id, worker_name = :worker_name, lock_expires_at = :lock_until, seen_recoveries = :recoveries,
  error_code = null, error_message = null, updated_at = :now where id = :id;

-- name: keep_winding(id, worker_id, worker_name, lock_until, recoveries, now)!
-- cancelled, and still in After Effects: whoever goes on with that holds a slot too
update rendering.render set worker_id = :worker_id, worker_name = :worker_name, lock_expires_at = :lock_until, seen_recoveries = :recoveries,
  updated_at = :now where id = :id;

-- name: let_go(id, recoveries, now)!
update rendering.render set worker_id = null, lock_expires_at = null, recovery_count = recovery_count + :recoveries,
  updated_at = :now where id = :id;

-- name: renew(id, lock_until, now)
update rendering.render set lock_expires_at = :lock_until, updated_at = :now where id = :id and worker_id is not null
returning state, is_winding_down;

-- name: set_stage(id, stage, now)!
update rendering.render set stage = :stage, stage_began_at = :now, updated_at = :now where id = :id;

-- name: note_posting(id, uid, now)!
update rendering.render set nexrender_job_id = :uid, posted_at = :now, submitted_at = null, updated_at = :now where id = :id;

-- name: forget_posting(id, now)!
update rendering.render set posted_at = null, submitted_at = null, nexrender_state = null, nexrender_started_at = null, updated_at = :now where id = :id;

-- name: note_submitted(id, now)!
update rendering.render set submitted_at = :now, started_at = coalesce(started_at, :now), progress = 0, progress_at = :now, updated_at = :now
where id = :id;

-- name: note_progress(id, state, progress, began_at, moved_at, now)!
update rendering.render set nexrender_state = :state, progress = :progress, nexrender_started_at = :began_at, progress_at = :moved_at, updated_at = :now
where id = :id;

-- name: note_rendered(id, path, now)!
update rendering.render set rendered_path = :path, rendered_at = :now, progress = 100, updated_at = :now where id = :id;

-- name: note_validated(id, video, now)!
update rendering.render set validated_at = :now, video = :video, updated_at = :now where id = :id;

-- name: note_output(id, path, size, sha256, now)!
update rendering.render set output_file_path = :path, output_size = :size, output_sha256 = :sha256, completed_at = :now, progress = 100, stage = 'done',
  duration_seconds = extract(epoch from :now::timestamptz - coalesce(started_at, created_at)), worker_id = null, lock_expires_at = null,
  fault = null, fault_count = 0, fault_detail = null, next_try_at = null, updated_at = :now where id = :id;

-- name: note_fault(id, fault, count, detail, next_try_at, now)!
update rendering.render set fault = :fault, fault_count = :count, fault_detail = :detail, next_try_at = :next_try_at, updated_at = :now where id = :id;

-- name: clear_fault(id, now)!
update rendering.render set fault = null, fault_count = 0, fault_detail = null, next_try_at = null, updated_at = :now where id = :id;

-- name: note_end(id, code, message, now)!
-- failed or cancelled: nobody works on it any more
update rendering.render set error_code = :code, error_message = :message, worker_id = null, lock_expires_at = null, is_winding_down = false,
  next_try_at = null, updated_at = :now where id = :id;

-- name: wind_down(id, code, message, now)!
-- cancelled or parked for people; After Effects does not know
update rendering.render set is_winding_down = true, error_code = :code, error_message = :message, updated_at = :now where id = :id;

-- name: begin_attempt(id, stage, now)!
-- rendered again from the beginning: another file, another name at nexrender
update rendering.render set attempt = attempt + 1, stage = :stage, stage_began_at = null, nexrender_job_id = null, nexrender_state = null, posted_at = null,
  submitted_at = null, nexrender_started_at = null, progress = 0, progress_at = null, rendered_path = null, rendered_at = null, validated_at = null,
  video = null, started_at = null, completed_at = null, duration_seconds = null, worker_id = null, lock_expires_at = null, is_winding_down = false,
  fault = null, fault_count = 0, fault_detail = null, next_try_at = null, updated_at = :now where id = :id;

-- name: resume_attempt(id, stage, now)!
-- the rendered file is kept; only what comes after is done again
update rendering.render set attempt = attempt + 1, stage = :stage, stage_began_at = null, completed_at = null, duration_seconds = null,
  validated_at = case when :stage = 'validate' then null else validated_at end, worker_id = null, lock_expires_at = null, is_winding_down = false,
  fault = null, fault_count = 0, fault_detail = null, next_try_at = null, updated_at = :now where id = :id;

-- name: clear_counts(id)!
-- a person begins again: what was counted before does not count any more
update rendering.render set timeouts = 0, recovery_count = 0, error_code = null, error_message = null where id = :id;

-- name: count_timeout(id)!
update rendering.render set timeouts = timeouts + 1 where id = :id;

-- name: set_priority(id, priority, now)!
update rendering.render set priority = :priority, updated_at = :now where id = :id;

-- name: set_on_air(id, on_air_at, now)!
update rendering.render set on_air_at = :on_air_at, updated_at = :now where id = :id;

-- name: list_lost(now, most)
-- In a working state, with a worker whose lock has ended.
select id from rendering.render where (state in ('preparing', 'rendering', 'encoding', 'uploading') or is_winding_down)
  and worker_id is not null and lock_expires_at < :now order by id limit :most for no key update skip locked;

-- name: list_of_server(server)
select r.id from rendering.render r join rendering.slot s on s.id = r.worker_id
where s.server = :server and (r.state in ('preparing', 'rendering', 'encoding', 'uploading') or r.is_winding_down)
order by r.id for no key update of r;

-- name: list_stuck(units, slow_since, now)
select * from rendering.render_row r
where (r.state in ('preparing', 'rendering', 'encoding', 'uploading') or r.is_winding_down) and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
  and (r.lock_expires_at < :now or coalesce(r.progress_at, r.stage_began_at, r.updated_at) < :slow_since or r.fault is not null)
order by r.id limit 200;

-- name: delete_ended(until, most)!
delete from rendering.render where id in (
  select id from rendering.render where state in ('completed', 'failed', 'cancelled') and updated_at < :until and worker_id is null
  order by updated_at limit :most);
