-- name: load_groups(ids)
select g.id, g.unit_id, g.name, g.within_id, g.room_type, g.tag, g.created_by, g.created_at, g.updated_at,
  (select count(*)::int from pabal.message_audience a join pabal.message_schedule s on s.id = a.schedule_id
   where a.group_id = g.id and s.state in ('active', 'inactive', 'error')) as schedules
from unnest(:ids::bigint[]) with ordinality as w(id, n) join pabal.room_group g on g.id = w.id order by w.n;

-- name: lock_group(id)
select id from pabal.room_group where id = :id for update;

-- name: find_groups(units, after_name, after_id, most)
select g.id, g.name from pabal.room_group g
where (:units::bigint[] is null or g.unit_id = any(:units::bigint[])) and (g.name, g.id) > (:after_name::text, :after_id::bigint)
order by g.name, g.id limit :most;

-- name: list_named(units, name, most)
select g.id from pabal.room_group g
where g.name = :name and (:units::bigint[] is null or g.unit_id = any(:units::bigint[])) order by g.id limit :most;

-- name: insert_group(unit_id, name, within_id, room_type, tag, created_by, now)
insert into pabal.room_group (unit_id, name, within_id, room_type, tag, created_by, created_at, updated_at)
values (:unit_id, :name, :within_id, :room_type, :tag, :created_by, :now, :now)
returning id;

-- name: update_group(id, unit_id, name, within_id, room_type, tag, now)!
-- unit: given, not compared
update pabal.room_group set unit_id = :unit_id, name = :name, within_id = :within_id, room_type = :room_type, tag = :tag, updated_at = :now
where id = :id;

-- name: delete_group(id)!
delete from pabal.room_group where id = :id;

-- name: release_audiences(id)!
-- schedules that are deleted or completed keep no group from going
update pabal.message_audience a set group_id = null from pabal.message_schedule s
where a.group_id = :id and s.id = a.schedule_id and s.state in ('completed', 'deleted');
