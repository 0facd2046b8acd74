-- name: move(id, priority)
-- Rows of places are taken out and put in again, never updated: whoever takes them goes by where they stand.
-- What is in an ordered lane keeps its turn there; its priority counts when it is ready.
with ready as (delete from pabal.ready where id = :id returning *),
waiting as (delete from pabal.waiting where id = :id returning *),
delayed as materialized (select id from pabal.delayed where id = :id for update),
again as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, :priority::smallint, ready_at, id, token, failures, recoveries, snoozes from ready),
behind as (
  insert into pabal.waiting (lane, rank, id, token, failures, recoveries, snoozes)
  select lane, case when (select true from pabal.lane_width v where v.name = split_part(lane, ':', 1)) then :priority::smallint else 0 end,
    id, token, failures, recoveries, snoozes from waiting),
found as materialized (
  select id, queue, ready_at, null as lane from ready union all select id, null, null, lane from waiting
  union all select id, null, null, null from delayed),
body as (update pabal.work set priority = :priority::smallint where id = any(array(select id from found)))
select queue, ready_at, lane from found;
