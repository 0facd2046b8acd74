-- name: make_weeks()
-- the weeks that the rows fall into, as a server would have made them at the time
select pabal.make_partition(parent, (date_trunc('week', pabal.now() at time zone 'UTC') - week * interval '7 days')::date)
from unnest(array['work', 'outcome', 'fact']) parent cross join generate_series(-1, 5) week;

-- name: pick_function#
-- a number from 0 to 1 for each n, the same each time
create schema bench;
create function bench.pick(n int) returns float8 language sql immutable parallel safe as 'select (hashint4(n) & 1048575) / 1048576.0';
-- a tenth belongs to nobody; of 300 units the first have most; the last has fifty rows; the one before it a hundred old ones
create function bench.unit_of(n int, rows int) returns bigint language sql immutable parallel safe as $$
  select case when n % greatest(rows / 50, 1) = 7 then 300 when n <= 100 then 299 when n % 10 = 0 then null
              else 1 + floor(298 * power(bench.pick(n), 3)) end::bigint $$;
create function bench.moment_of(n int, rows int, now timestamptz) returns timestamptz language sql immutable parallel safe as
  'select now - (rows - n) * (interval ''28 days'' / rows)';

-- name: insert_units(count)!
-- the HQ, one distributor below it, and branches below that
insert into pabal.unit (parent_id, level, name, created_at)
select case n when 1 then null when 2 then 1 else 2 end, case n when 1 then 'hq' when 2 then 'distributor' else 'branch' end, 'unit ' || n, pabal.now()
from generate_series(1, :count::int) n order by n;

-- name: insert_jobs(rows)!
-- newest open, one in thirty failed, fifty of a rare kind
with given as (
  select n, pabal.id_at(bench.moment_of(n, :rows::int, pabal.now())) | (n & 4194303) as id, bench.unit_of(n, :rows::int) as unit_id,
    case when n % greatest(:rows::int / 50, 1) = 3 then 'bench.rare' else 'bench.kind' || n % 6 end as kind,
    bench.moment_of(n, :rows::int, pabal.now()) as at
  from generate_series(1, :rows::int) n),
body as (
  insert into pabal.work (id, unit_id, kind, queue, priority, about, args, max_failures, max_recoveries, created_at)
  select id, unit_id, kind, kind, 2, 'thing:' || n / 5, jsonb_build_object('text', repeat('x', 60), 'n', n), 5, 3, at from given),
ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select kind, 2, at, id, 0, 0, 0, 0 from given where n > :rows::int * 0.98 and n % 2 = 0),
delayed as (
  insert into pabal.delayed (due_at, id, reason, token, failures, recoveries, snoozes)
  select at + interval '30 days', id, 'asked', 0, 0, 0, 0 from given where n > :rows::int * 0.98 and n % 2 = 1)
insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at, error)
select id, 1, true, case when n % 30 = 1 then 'failed' when n % 997 = 0 then 'cancelled' when n % 20011 = 0 then 'quarantined' else 'done' end,
  1, at, at + interval '1 second', case when n % 30 = 1 then '{"reason": "no paper"}'::jsonb end
from given where n <= :rows::int * 0.98;

-- name: insert_schedules(rows)!
insert into pabal.schedule (unit_id, name, kind, args, about, priority, recurrence, zone, misfire, misfire_window, overlap, dst_gap, dst_fold, next_at,
  paused_at, paused_by, created_at)
select bench.unit_of(n, :rows::int), 'schedule ' || n, case when n % greatest(:rows::int / 50, 1) = 3 then 'bench.rare' else 'bench.kind' || n % 6 end,
  '{}', 'thing:' || n, 2, '{"form": "daily", "times": ["09:00"]}', 'Asia/Seoul', 'latest', interval '5 minutes', 'allow', 'shift', 'first',
  case when n % 50 <> 0 then pabal.now() + bench.pick(n) * interval '1 day' end,
  case when n % 40 = 0 then pabal.now() end, case when n % 40 = 0 then 'user:1' end, pabal.now()
from generate_series(1, :rows::int) n;

-- name: insert_occurrences(rows)!
-- a thousand schedules have a long ledger; fifty moments were missed
insert into pabal.occurrence (schedule_id, fire_at, decision, work_id, "end", reason, decided_at, ended_at, unit_id)
select 1 + n % 1000, bench.moment_of(n, :rows::int, pabal.now()), case when n % 25 = 0 then 'skipped' else 'enqueued' end,
  case when n % 25 <> 0 then n end,
  case when n % 25 = 0 then null when n % greatest(:rows::int / 50, 1) = 3 then 'missed' when n % 30 = 1 then 'failed' else 'done' end,
  'on_time', bench.moment_of(n, :rows::int, pabal.now()), case when n % 25 <> 0 then bench.moment_of(n, :rows::int, pabal.now()) end,
  bench.unit_of(n, :rows::int)
from generate_series(1, :rows::int) n;

-- name: insert_facts(rows)!
insert into pabal.fact (name, subject, unit_id, at, data)
select case when n % greatest(:rows::int / 50, 1) = 3 then 'bench.thing_lost' else 'bench.thing_' || (array['made', 'sent', 'read', 'ended'])[1 + n % 4] end,
  'thing:' || n / 5, bench.unit_of(n, :rows::int), bench.moment_of(n, :rows::int, pabal.now()), jsonb_build_object('text', repeat('x', 60), 'n', n)
from generate_series(1, :rows::int) n;

-- name: insert_audit(rows)!
insert into pabal.audit (id, at, actor, actor_label, origin, unit_id, action, about, before, after)
select pabal.id_at(bench.moment_of(n, :rows::int, pabal.now())) | (n & 4194303), bench.moment_of(n, :rows::int, pabal.now()), 'user:' || n % 500,
  'somebody', '127.0.0.1', bench.unit_of(n, :rows::int),
  case when n % greatest(:rows::int / 50, 1) = 3 then 'backup.restore' else 'things.' || (array['add', 'edit', 'pause', 'remove'])[1 + n % 4] end,
  'thing:' || n / 5, '{"state": "old"}', '{"state": "new"}'
from generate_series(1, :rows::int) n;
