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
