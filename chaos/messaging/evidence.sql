-- name: list_deliveries()
-- one row for each schedule and delivery of it; a schedule that has none stands alone
select s.id as schedule_id, s.state as schedule_state, s.late_policy, b.name as bot, r.channel_id as channel, d.id, d.state, d.reason,
  extract(epoch from t.fire_at)::float8 as fire_at, extract(epoch from d.scheduled_at)::float8 as scheduled_at,
  extract(epoch from d.started_at)::float8 as started_at, d.attempts, d.deferred_by, d.job_id, d.content,
  (select extract(epoch from pg_xact_commit_timestamp(w.xmin))::float8 from pabal.work w where w.id = d.job_id) as enqueued_at,
  t.decision, t."end"
from pabal.message_schedule s join pabal.bot b on b.id = s.bot_id join pabal.room r on r.id = s.room_id
left join pabal.occurrence t on t.schedule_id = s.timetable_id left join pabal.delivery d on d.schedule_id = s.id
order by d.scheduled_at, s.id;

-- name: list_parts()
select p.delivery_id, p.no, p.component, p.from_image, p.to_image, p.resent,
  case when p.handled_at is not null then 'handled' else p.state end as state,
  extract(epoch from p.began_at)::float8 as began_at, extract(epoch from p.written_at)::float8 as written_at
from pabal.delivery_part p order by p.delivery_id, p.no;

-- name: list_pictures()
select id, sha256 from pabal.file;

-- name: list_ends()
-- every move into an end
select subject, count(*)::int as ends from pabal.transition where machine = 'delivery' and target <> 'open' group by subject;

-- name: list_waits(kind)
-- attempts that ended without an end of their job, and why
select w.id, coalesce((w.args->>'delivery_id')::bigint, d.id) as delivery_id, o.result from pabal.work w
join pabal.outcome o on o.id = w.id and not o.final left join pabal.delivery d on d.job_id = w.id where w.kind = :kind order by w.id, o.token;

-- name: list_prevented()
select name, label, sum(count)::int as count from pabal.message_count group by name, label;

-- name: count_places()
select (select count(*) from pabal.ready) + (select count(*) from pabal.waiting) + (select count(*) from pabal.delayed)
     + (select count(*) from pabal.lease) as open;
