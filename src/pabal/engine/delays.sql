-- name: take_due(slice)
-- Into its lane with its old id, so first in line (of its priority, where the lane is shared); straight to ready if it has none or still holds it.
with due as materialized (
  select ctid as place, * from pabal.delayed where due_at <= pabal.now() order by due_at, id limit :slice for update skip locked),
gone as (delete from pabal.delayed where ctid = any(array(select place from due))),
body as materialized (
  select due.*, w.queue, w.priority, w.lane,
         w.lane is not null and due.id <> all(coalesce((select l.holders from pabal.lane l where l.lane = w.lane), '{}')) as waits
  from due cross join lateral (select * from pabal.work w where w.id = due.id offset 0) w),
now_ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, priority, pabal.now(), id, token, failures, recoveries, snoozes from body where not waits),
behind as (
  insert into pabal.waiting (lane, rank, id, token, failures, recoveries, snoozes)
  select lane, case when (select true from pabal.lane_width v where v.name = split_part(lane, ':', 1)) then priority else 0 end,
    id, token, failures, recoveries, snoozes from body where waits)
select id, queue, lane, waits from body;

-- name: find_next_due()
select due_at from pabal.delayed order by due_at limit 1;
