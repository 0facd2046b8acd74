-- name: find_holder(lane)
-- holder 0: the lane is just being handed on
select nullif(l.holder, 0) as holder from pabal.lane l where l.lane = :lane;

-- name: count_before_in_lane(lane, id)
select count(*)::int from (select from pabal.waiting where lane = :lane and id < :id limit 10001) c;

-- name: count_before_in_queue(queue, id)
-- in the order of claiming
select count(*)::int from (
  select from pabal.ready me join pabal.ready r on r.queue = me.queue and (r.priority, r.ready_at, r.id) < (me.priority, me.ready_at, me.id)
  where me.id = :id and me.queue = :queue limit 10001) c;

-- name: find_occurrence_of(id)
select o.schedule_id, o.fire_at from pabal.occurrence o where o.work_id = :id and o."end" is null;

-- name: find_occurrence(schedule_id, fire_at)
select o.schedule_id, o.fire_at, o.decision, o.work_id, o."end" as ended_as, o.reason, o.decided_at, o.ended_at, o.through, o.count
from pabal.occurrence o where o.schedule_id = :schedule_id and o.fire_at = :fire_at;

-- name: list_occurrences(schedule_id, most)
select o.schedule_id, o.fire_at, o.decision, o.work_id, o."end" as ended_as, o.reason, o.decided_at, o.ended_at, o.through, o.count
from pabal.occurrence o where o.schedule_id = :schedule_id order by o.fire_at desc limit :most;

-- name: find_schedule(id)
select id, name, kind, about, next_at, paused_at, valid_from, valid_until, created_at from pabal.schedule where id = :id;
