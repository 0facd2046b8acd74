-- name: find_lane(lane)
-- without a row the lane is just being handed on
select coalesce((select l.holders from pabal.lane l where l.lane = :lane), '{}') as holders,
  (select v.width from pabal.lane_width v where v.name = any(array[:lane::text, split_part(:lane, ':', 1)]) order by length(v.name) desc limit 1) as width;

-- name: count_before_in_lane(lane, id)
select count(*)::int from (
  select from pabal.waiting me join pabal.waiting w on w.lane = me.lane and (w.rank, w.id) < (me.rank, me.id)
  where me.id = :id and me.lane = :lane limit 10001) c;

-- name: count_before_in_queue(queue, id)
-- in the order of claiming
select count(*)::int from (
  select from pabal.ready me join pabal.ready r on r.queue = me.queue and (r.priority, r.ready_at, r.id) < (me.priority, me.ready_at, me.id)
  where me.id = :id and me.queue = :queue limit 10001) c;
