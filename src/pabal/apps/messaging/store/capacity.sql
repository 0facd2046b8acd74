-- name: measure(bots, since)
-- by each bot's newest sends that went out: its own time, waits included
select b.id as bot_id, sum(d.duration_ms) / 1000.0 / sum(d.parts) as part, avg(d.duration_ms) / 1000.0 as send
from unnest(:bots::bigint[]) as b(id)
cross join lateral (
  select d.duration_ms, (select count(*) from pabal.delivery_part p where p.delivery_id = d.id) as parts
  from pabal.delivery d
  where d.bot_id = b.id and d.id >= pabal.id_at(:since::timestamptz) and d.state = 'sent' and d.attempts = 1 and d.duration_ms is not null
  order by d.id desc limit 100) d
where d.parts > 0 group by b.id;

-- name: list_bots(units)
select id from pabal.bot where :units::bigint[] is null or unit_id = any(:units::bigint[]);

-- name: count_open(bots, until)
-- what waits for these bots now, be there a delivery of it or not
select w.bot_id, count(distinct w.job_id)::int as sends
from (
  select s.bot_id, o.work_id as job_id from pabal.occurrence o join pabal.schedule t on t.id = o.schedule_id
  join pabal.message_schedule s on s.timetable_id = t.id
  where o."end" is null and o.work_id > 0 and t.kind = 'messaging.send' and s.bot_id = any(:bots::bigint[])
  union all
  select d.bot_id, d.job_id from pabal.delivery d
  where d.state = 'open' and d.scheduled_at <= :until and d.bot_id = any(:bots::bigint[])) w
group by 1;

-- name: list_due(bots, since, until, but_id)
-- what other schedules of one room have for these bots until then
select s.bot_id, t.next_at as at, count(*)::int as sends
from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
where s.bot_id = any(:bots::bigint[]) and t.paused_at is null and s.id is distinct from :but_id::bigint
  and t.next_at >= :since and t.next_at <= :until
  and not exists (select from pabal.message_audience a where a.schedule_id = s.id)
group by 1, 2;

-- name: list_due_bulks(since, until, but_id, most)
-- unit: whose they are does not matter to the bots
-- the last of them first: who is far from the moment is through by then
select s.id as schedule_id, s.bot_id, t.next_at as at from pabal.message_audience a join pabal.message_schedule s on s.id = a.schedule_id
join pabal.schedule t on t.id = s.timetable_id
where t.paused_at is null and s.id is distinct from :but_id::bigint and t.next_at >= :since and t.next_at <= :until
order by t.next_at desc, s.id limit :most;
