-- name: take_due(slice)
-- Into its lane with its old id, so first in line; straight to ready if it has none or still holds it.
with due as materialized (
  select ctid as place, * from pabal.delayed where due_at <= pabal.now() order by due_at, id limit :slice for update skip locked),
gone as (delete from pabal.delayed where ctid = any(array(select place from due))),
body as materialized (
  select due.*, w.queue, w.priority, w.lane,
         w.lane is not null and (select l.holder from pabal.lane l where l.lane = w.lane) is distinct from due.id as waits
  from due cross join lateral (select * from pabal.work w where w.id = due.id offset 0) w),
now_ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, priority, pabal.now(), id, token, failures, recoveries, snoozes from body where not waits),
behind as (
  insert into pabal.waiting (lane, id, token, failures, recoveries, snoozes)
  select lane, id, token, failures, recoveries, snoozes from body where waits)
select id, queue, lane, waits from body;

-- name: find_next_due()
select due_at from pabal.delayed order by due_at limit 1;
