-- name: list_last(schedules)
-- the newest delivery of each that was no test
select d.schedule_id, d.id, d.state, d.scheduled_at, d.reason
from unnest(:schedules::bigint[]) as s(id)
cross join lateral (
  select d.schedule_id, d.id, d.state, d.scheduled_at, d.reason from pabal.delivery d
  where d.schedule_id = s.id and d.cause <> 'test' and d.state <> 'open' order by d.id desc limit 1) d;

-- name: count_today(units, until)
-- schedules that send something before this moment
select count(*) from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
where s.state = 'active' and s.deleted_at is null and t.paused_at is null and t.next_at < :until
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]));

-- name: list_bots(bots)
select b.id, b.name, b.excluded_at is not null as is_excluded from pabal.bot b where b.id = any(:bots::bigint[]);

-- name: list_held(routes)
-- by lives that are not over
select r.route from pabal.route r join pabal.worker w on w.id = r.worker
where r.route = any(:routes::text[]) and w.until > pabal.real_now();
