-- name: list_slots(units, earlier, earlier_until, since, until, width)
-- One pass over the period and the one before it; hours, days and weekdays are folded from these.
-- What somebody paused is no success and no failure, here and below.
select date_bin(:width::interval, d.scheduled_at, timestamptz '2000-01-01 00:00+00') as slot, d.scheduled_at >= :since as is_now, d.state,
  count(*)::int as deliveries, coalesce(sum(d.duration_ms), 0)::bigint as took_ms, count(d.duration_ms)::int as timed
from pabal.delivery d
where d.scheduled_at >= :earlier and d.scheduled_at < :until and (d.scheduled_at < :earlier_until or d.scheduled_at >= :since)
  and d.cause <> 'test' and d.state <> 'open' and d.reason is distinct from 'paused' and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
group by 1, 2, 3;

-- name: list_delays(units, earlier, earlier_until, since, until)
-- Exact to the millisecond. Equal delays are counted together first, and materialized so that they are hashed: sorting every row
-- took twice as long.
with counted as materialized (
  select d.scheduled_at >= :since as is_now, greatest(date_part('epoch', d.started_at - d.scheduled_at) * 1000, 0)::bigint as ms, count(*) as n
  from pabal.delivery d
  where d.scheduled_at >= :earlier and d.scheduled_at < :until and (d.scheduled_at < :earlier_until or d.scheduled_at >= :since)
    and d.started_at is not null and d.cause <> 'test' and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
  group by 1, 2),
ranked as (
  select is_now, ms, n, sum(n) over (partition by is_now order by ms) as upto, sum(n) over (partition by is_now) as total from counted)
select is_now, sum(n)::int as deliveries, (sum(ms * n) / sum(n))::float8 as average_ms, max(ms)::float8 as worst_ms,
  min(ms) filter (where upto >= 0.50 * total)::float8 as p50_ms,
  min(ms) filter (where upto >= 0.95 * total)::float8 as p95_ms,
  min(ms) filter (where upto >= 0.99 * total)::float8 as p99_ms
from ranked group by is_now;

-- name: list_groups(units, since, until)
-- Whose, where, of which kind, and how it ended: the tables of places and of use are folded from these.
select g.unit_id, g.room_id, g.template_id, g.cause, s.schedule_type, g.state, g.reason, sum(g.deliveries)::int as deliveries,
  sum(g.took_ms)::bigint as took_ms, sum(g.timed)::int as timed, sum(g.delay_ms)::bigint as delay_ms, sum(g.begun)::int as begun
from (
  select d.unit_id, d.room_id, d.schedule_id, d.template_id, d.cause, d.state, d.reason, count(*) as deliveries,
    coalesce(sum(d.duration_ms), 0) as took_ms, count(d.duration_ms) as timed,
    coalesce(sum(greatest(date_part('epoch', d.started_at - d.scheduled_at) * 1000, 0)), 0) as delay_ms, count(d.started_at) as begun
  from pabal.delivery d
  where d.scheduled_at >= :since and d.scheduled_at < :until and d.cause <> 'test' and d.state <> 'open' and d.reason is distinct from 'paused'
    and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
  group by 1, 2, 3, 4, 5, 6, 7) g
join pabal.message_schedule s on s.id = g.schedule_id
group by 1, 2, 3, 4, 5, 6, 7;

-- name: list_limits(units, since, until)
select d.deferred_by as name, count(*)::int as deliveries, count(distinct d.room_id)::int as rooms
from pabal.delivery d
where d.scheduled_at >= :since and d.scheduled_at < :until and d.deferred_by is not null and d.cause <> 'test'
  and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
group by 1 order by 2 desc, 1;

-- name: list_effects(units, since, until, most)
-- The newest few thousand sends only: each is looked up twice in the room's traffic. What is younger than its hour is not ripe.
select d.room_id, d.ended_at, d.before, d.after
from (
  select d.room_id, d.ended_at,
    (select coalesce(sum(t.messages), 0) from pabal.room_traffic t
     where t.room_id = d.room_id and t.minute >= date_trunc('minute', d.started_at) - interval '1 hour' and t.minute < date_trunc('minute', d.started_at))::int as before,
    (select coalesce(sum(t.messages), 0) from pabal.room_traffic t
     where t.room_id = d.room_id and t.minute > date_trunc('minute', d.ended_at) and t.minute <= date_trunc('minute', d.ended_at) + interval '1 hour')::int as after
  from (
    select d.room_id, d.started_at, d.ended_at from pabal.delivery d
    where d.scheduled_at >= :since and d.scheduled_at < :until and d.state in ('sent', 'partial', 'unknown') and d.cause <> 'test'
      and d.started_at is not null and d.ended_at <= pabal.now() - interval '1 hour'
      and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
    order by d.scheduled_at desc limit :most) d) d;

-- name: list_names(rooms, templates)
select 'room' as of, id, name from pabal.room where id = any(:rooms::bigint[])
union all
select 'template', id, name from pabal.message_template where id = any(:templates::bigint[]);

-- name: list_minutes(units, since)
-- by their end: what was worked off in each minute
select date_trunc('minute', d.ended_at) as minute, count(*)::int as deliveries
from pabal.delivery d
where d.ended_at >= :since and d.cause <> 'test' and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
group by 1 order by 1;

-- name: list_counts(since, until)
select name, label, sum(count)::int as times from pabal.message_count where hour >= :since and hour < :until group by 1, 2 order by 1, 3 desc, 2;

-- name: read_unsent(units, now)
-- What is due and has no end yet: the ledger's open moments, also before a delivery was made of them, and what somebody asked for.
with due as (
  select o.work_id as job_id, s.unit_id, o.fire_at as due_at from pabal.occurrence o join pabal.schedule s on s.id = o.schedule_id
  where o."end" is null and o.work_id > 0 and o.fire_at <= :now and s.kind = 'messaging.send'
  union
  select d.job_id, d.unit_id, d.scheduled_at from pabal.delivery d where d.state = 'open' and d.scheduled_at <= :now)
select count(distinct coalesce(job_id, -1))::int as deliveries, coalesce(date_part('epoch', :now::timestamptz - min(due_at)), 0)::float8 as oldest_seconds,
  coalesce(avg(date_part('epoch', :now::timestamptz - due_at)), 0)::float8 as average_seconds
from due where (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: read_ended(units, since)
-- the last minutes, by their end
select count(*)::int as processed, count(*) filter (where state = 'sent')::int as sent, avg(duration_ms)::float8 as average_ms,
  count(*) filter (where state = 'missed')::int as missed
from pabal.delivery
where ended_at >= :since and cause <> 'test' and reason is distinct from 'paused' and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: read_counters(units)
-- Everything that ever ended, as the seed counts: since the beginning.
select coalesce(sum(processed), 0)::bigint as processed, coalesce(sum(sent), 0)::bigint as sent,
  (sum(took_ms) / nullif(sum(timed), 0))::float8 as average_ms
from pabal.message_total where (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: fold_totals()
-- unit: each unit's lines become one of its own
-- Of what this statement sees: what is appended meanwhile, and what another server folds, is left to the next time.
with gone as (
  delete from pabal.message_total
  where unit_id in (select unit_id from pabal.message_total group by unit_id having count(*) > 1)
  returning unit_id, processed, sent, timed, took_ms),
folded as (
  insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
  select unit_id, sum(processed), sum(sent), sum(timed), sum(took_ms) from gone group by unit_id)
select count(*)::int from gone;

-- name: find_last_poll(units)
-- the newest moment the scheduler decided about
select o.decided_at from pabal.occurrence o join pabal.schedule s on s.id = o.schedule_id
where s.kind in ('messaging.send', 'messaging.bulk') and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]))
order by o.fire_at desc limit 1;

-- name: add_count(name, label, n, now)!
insert into pabal.message_count (hour, name, label, count) values (date_trunc('hour', :now::timestamptz, 'UTC'), :name, :label, :n)
on conflict (hour, name, label) do update set count = pabal.message_count.count + excluded.count;

-- name: list_uses(keys, maxima, spans, weights, now)
-- What counts in each window, and when it has room again: newest first, the running sum tells which start must have left before.
select coalesce(max(s.taken), 0)::int as used, max(s.at + g.span) filter (where s.taken + greatest(g.weight, 1) > g.maximum) as free_at
from unnest(:keys::text[], :maxima::int[], :spans::interval[], :weights::int[]) with ordinality as g(key, maximum, span, weight, n)
left join lateral (
  select s.at, sum(case when g.weight = 0 then 1 else s.weight end) over (order by s.at desc, s.id desc) as taken from pabal.started s
  where s.limit_key = g.key and s.at > :now::timestamptz - g.span) s on true
group by g.n order by g.n;
