-- name: insert_schedule(unit_id, name, kind, args, about, route, label, lane, priority, expires_after, deadline, max_failures, recurrence, zone, valid_from, valid_until, misfire, misfire_window, misfire_max, overlap, dst_gap, dst_fold, next_at)
insert into pabal.schedule (unit_id, name, kind, args, about, route, label, lane, priority, expires_after, deadline, max_failures, recurrence, zone,
  valid_from, valid_until, misfire, misfire_window, misfire_max, overlap, dst_gap, dst_fold, next_at, created_at)
values (:unit_id, :name, :kind, :args, :about, :route, :label, :lane, :priority, :expires_after, :deadline, :max_failures, :recurrence, :zone,
  :valid_from, :valid_until, :misfire, :misfire_window, :misfire_max, :overlap, :dst_gap, :dst_fold, :next_at, pabal.now())
returning id;

-- name: update_schedule(id, unit_id, name, kind, args, about, route, label, lane, priority, expires_after, deadline, max_failures, recurrence, zone, valid_from, valid_until, misfire, misfire_window, misfire_max, overlap, dst_gap, dst_fold, next_at)!
-- an edit mends what the engine had paused for
update pabal.schedule set unit_id = :unit_id, name = :name, kind = :kind, args = :args, about = :about, route = :route, label = :label, lane = :lane,
  priority = :priority, expires_after = :expires_after, deadline = :deadline, max_failures = :max_failures, recurrence = :recurrence, zone = :zone, valid_from = :valid_from, valid_until = :valid_until,
  misfire = :misfire, misfire_window = :misfire_window, misfire_max = :misfire_max, overlap = :overlap, dst_gap = :dst_gap, dst_fold = :dst_fold,
  next_at = :next_at, problem = null,
  paused_at = case when problem is null then paused_at end, paused_by = case when problem is null then paused_by end
where id = :id;

-- name: load_schedules(ids)
select id, unit_id, name, kind, args, about, route, label, lane, priority, expires_after, deadline, max_failures, recurrence::text, zone, valid_from, valid_until,
  misfire, misfire_window, misfire_max, overlap, dst_gap, dst_fold, next_at, paused_at, paused_by, problem, created_at
from pabal.schedule where id = any(:ids::bigint[]);

-- name: lock_schedule(id)
select id from pabal.schedule where id = :id for update;

-- name: list_schedules(units, about, kind, after, limit_rows)
select id from pabal.schedule
where id > :after and (:units::bigint[] is null or unit_id = any(:units)) and (:about::text is null or about = :about)
  and (:kind::text is null or kind = :kind)
order by id limit :limit_rows;

-- name: delete_schedule(id)!
delete from pabal.schedule where id = :id;

-- name: pause_schedule(id, actor)!
update pabal.schedule set paused_at = pabal.now(), paused_by = :actor where id = :id and paused_at is null;

-- name: resume_schedule(id, next_at)!
update pabal.schedule set paused_at = null, paused_by = null, problem = null, next_at = :next_at where id = :id;
