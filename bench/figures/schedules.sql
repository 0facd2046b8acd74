-- name: read_now()$
select pabal.now();

-- name: insert_schedules(kind, count, first_at, seconds)!
-- Half daily, half weekly, over so many seconds from the first moment on; a full minute is written without seconds.
with given as (
  select n, :first_at::timestamptz + (n % :seconds::int) * interval '1 second' as next_at from generate_series(1, :count::int) n),
worded as (
  select n, next_at, to_char(next_at at time zone 'Asia/Seoul', 'dy') as day,
    to_char(next_at at time zone 'Asia/Seoul', case when extract(second from next_at) = 0 then 'HH24:MI' else 'HH24:MI:SS' end) as clock
  from given)
insert into pabal.schedule (name, kind, args, priority, recurrence, zone, misfire, misfire_window, overlap, dst_gap, dst_fold, next_at, created_at)
select 'schedule ' || n, :kind::text, '{}', 2,
  case when n % 2 = 0 then jsonb_build_object('form', 'daily', 'times', array[clock])
    else jsonb_build_object('form', 'weekly', 'days', array[day], 'times', array[clock]) end,
  'Asia/Seoul', 'latest', interval '5 minutes', 'allow', 'shift', 'first', next_at, pabal.now()
from worded;
