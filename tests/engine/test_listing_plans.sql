-- name: fill_work(rows)!
-- one in a hundred is ready, fifty failed, fifty of a rare kind
with given as (
  select n, pabal.id_at(pabal.now()) - :rows::int + n as id, case when n <= 50 then 99 when n % 3 = 0 then 1 + n % 90 else 1 end as unit_id,
    case when n % (:rows::int / 50) = 3 then 'test.rare' else 'test.kind' || n % 5 end as kind from generate_series(1, :rows::int) n),
body as (
  insert into pabal.work (id, unit_id, kind, queue, priority, args, max_failures, max_recoveries, created_at)
  select id, unit_id, kind, kind, 2, '{}', 5, 3, pabal.now() from given),
ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select kind, 2, pabal.now(), id, 0, 0, 0, 0 from given where n % 100 = 0)
insert into pabal.outcome (id, token, final, result, ended_at)
select id, 1, true, case when n % (:rows::int / 50) = 7 then 'failed' else 'done' end, pabal.now() from given where n % 100 <> 0;

-- name: fill_facts(rows)!
insert into pabal.fact (name, subject, unit_id, at, data)
select case when n % (:rows::int / 50) = 3 then 'test.thing_lost' else 'test.thing_made' || n % 5 end, 'thing:' || n,
  case when n <= 50 then 99 when n % 3 = 0 then 1 + n % 90 else 1 end, pabal.now() - (:rows::int - n) * interval '1 second', '{}'
from generate_series(1, :rows::int) n;

-- name: fill_schedules(rows)!
insert into pabal.schedule (unit_id, name, kind, args, priority, recurrence, zone, misfire, overlap, dst_gap, dst_fold, next_at, paused_at, paused_by, created_at)
select case when n <= 50 then 99 when n % 3 = 0 then 1 + n % 90 else 1 end, 'schedule ' || n,
  case when n % (:rows::int / 50) = 3 then 'test.rare' else 'test.kind' || n % 5 end, '{}', 2, '{"form": "daily", "times": ["09:00"]}', 'UTC', 'latest',
  'allow', 'shift', 'first', pabal.now() + (:rows::int - n) * interval '1 second', case when n % 50 = 0 then pabal.now() end,
  case when n % 50 = 0 then 'user:1' end, pabal.now()
from generate_series(1, :rows::int) n;

-- name: fill_occurrences(rows)!
insert into pabal.occurrence (schedule_id, unit_id, fire_at, decision, work_id, "end", reason, decided_at, ended_at)
select 1 + n % 100, case when n <= 50 then 99 when n % 3 = 0 then 1 + n % 90 else 1 end, pabal.now() - (:rows::int - n) * interval '1 second', 'enqueued', n,
  case when n % (:rows::int / 50) = 3 then 'missed' else 'done' end, 'on_time', pabal.now(), pabal.now()
from generate_series(1, :rows::int) n;

-- name: analyze#
analyze pabal.work, pabal.ready, pabal.outcome, pabal.fact, pabal.schedule, pabal.occurrence;

-- name: empty#
truncate pabal.work, pabal.ready, pabal.outcome, pabal.occurrence;

-- name: read_everything()
select count(*) from pabal.work where args = '{"a": 1}';
