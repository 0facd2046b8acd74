-- name: open_deliveries(schedules, moments, jobs, on_time, must_be_active, now)
-- One for each occurrence: the unique index forbids a second. Until its first attempt begins it holds what the schedule says now.
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, asked_by, is_catch_up, job_id,
  content, image_mode, template_id, created_at)
select s.unit_id, 'open', 1, s.id, s.room_id, s.bot_id, g.scheduled_at, case when o.reason = 'triggered' then 'now' else 'schedule' end,
  case when o.reason = 'triggered' then o.actor end,
  o.reason is distinct from 'triggered' and :now::timestamptz - g.scheduled_at > :on_time::interval, g.job_id,
  pabal.message_content(s),
  b.image_mode, s.template_id, :now
from unnest(:schedules::bigint[], :moments::timestamptz[], :jobs::bigint[]) as g(schedule_id, scheduled_at, job_id)
-- whoever pauses or edits it locks its row: either that is seen here, or what it withdraws has begun
cross join lateral (select * from pabal.message_schedule s where s.id = g.schedule_id offset 0 for share) s
cross join lateral (select b.image_mode from pabal.bot b where b.id = s.bot_id offset 0) b
left join lateral (
  select o.reason, o.actor from pabal.occurrence o where o.schedule_id = s.timetable_id and o.fire_at = g.scheduled_at offset 0) o on true
where s.state <> 'deleted' and (not :must_be_active::boolean or s.state = 'active' or o.reason = 'triggered')
on conflict (schedule_id, scheduled_at) do update set room_id = excluded.room_id, bot_id = excluded.bot_id, job_id = excluded.job_id,
    content = excluded.content, image_mode = excluded.image_mode, template_id = excluded.template_id
  where pabal.delivery.state = 'open' and pabal.delivery.attempts = 0
returning id, schedule_id, scheduled_at, xmax = 0 as is_new;

-- name: insert_test(schedule_id, room_id, bot_id, asked_by, now)
-- never in the way of an occurrence: the next free microsecond
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, asked_by, content, image_mode,
  template_id, created_at)
select s.unit_id, 'open', 1, s.id, :room_id, b.id,
  (select :now::timestamptz + n * interval '1 microsecond' from generate_series(0, 1000) as g(n)
   where not exists (select from pabal.delivery d where d.schedule_id = s.id and d.scheduled_at = :now::timestamptz + n * interval '1 microsecond')
   order by n limit 1),
  'test', :asked_by,
  pabal.message_content(s),
  b.image_mode, s.template_id, :now
from pabal.message_schedule s join pabal.bot b on b.id = :bot_id where s.id = :schedule_id
returning id;

-- name: find_at(schedule_id, scheduled_at)
select id from pabal.delivery where schedule_id = :schedule_id and scheduled_at = :scheduled_at;

-- name: load_deliveries(ids)
-- unit: for the engine's own work; two rooms compared with one another
select d.id, d.unit_id, d.state, d.cause, d.scheduled_at, d.started_at, d.attempts, d.deferred_by, d.job_id, d.content, d.image_mode,
  coalesce((d.detail->>'resumed_at')::timestamptz, d.scheduled_at) as counts_from,
  s.id as schedule_id, d.bulk_id, s.unit_id as schedule_unit_id, s.state as schedule_state, s.late_policy, s.timetable_id,
  d.bot_id, b.name as bot_name, b.excluded_at, d.room_id, r.unit_id as room_unit_id, r.room_type, r.channel_id, rb.room_name,
  exists (
    select from pabal.room_bot o join pabal.room x on x.id = o.room_id
    where o.bot_id = rb.bot_id and normalize(o.room_name, NFC) = normalize(rb.room_name, NFC) and o.room_id <> rb.room_id
      and x.unit_id is distinct from r.unit_id) as is_name_shared,
  r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute, r.messages_per_hour, r.messages_per_day, r.max_text_length
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.bot b on b.id = d.bot_id
join pabal.room r on r.id = d.room_id left join pabal.room_bot rb on rb.room_id = d.room_id and rb.bot_id = d.bot_id
where d.id = any(:ids::bigint[]);

-- name: list_words(ids)
-- unit: by id, of deliveries that this commit opened
select d.id as delivery_id, r.name as room, coalesce(u.name, '') as branch, s.zone,
  coalesce((select t.columns from pabal.message_audience_room t where t.schedule_id = s.id order by t.no limit 1), '{}') as columns
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.room r on r.id = d.room_id
left join pabal.unit u on u.id = r.unit_id where d.id = any(:ids::bigint[]);

-- name: set_contents(ids, contents)!
update pabal.delivery d set content = g.content from unnest(:ids::bigint[], :contents::jsonb[]) as g(id, content)
where d.id = any(:ids::bigint[]) and d.id = g.id;

-- name: start_deliveries(ids, jobs, now)!
update pabal.delivery d set started_at = coalesce(d.started_at, :now), attempts = d.attempts + 1, job_id = g.job_id
from unnest(:ids::bigint[], :jobs::bigint[]) as g(id, job_id) where d.id = any(:ids::bigint[]) and d.id = g.id;

-- name: defer_delivery(id, job_id, deferred_by, deferred_until)!
update pabal.delivery set job_id = :job_id, deferred_by = :deferred_by, deferred_until = :deferred_until where id = :id;

-- name: set_job(id, job_id)!
update pabal.delivery set job_id = :job_id where id = :id;

-- name: note_error(id, entry)!
update pabal.delivery set detail = jsonb_set(detail, '{errors}', coalesce(detail->'errors', '[]') || :entry::jsonb) where id = :id;

-- name: end_deliveries(ids, reasons, details, now)!
update pabal.delivery d set ended_at = :now, reason = g.reason, detail = d.detail || g.detail,
  -- a missed one took no time at all: least() alone would call nothing the longest
  duration_ms = case when d.started_at is not null then least(extract(epoch from :now::timestamptz - d.started_at) * 1000, 2147483647)::int end
from unnest(:ids::bigint[], :reasons::text[], :details::jsonb[]) as g(id, reason, detail) where d.id = any(:ids::bigint[]) and d.id = g.id;

-- name: reopen_delivery(id, asked_by, detail)!
-- its time counts anew
update pabal.delivery set asked_by = :asked_by, started_at = null, ended_at = null, duration_ms = null, reason = null,
  detail = (detail - 'dismissed_by') || :detail::jsonb
where id = :id;

-- name: dismiss_delivery(id, detail)!
update pabal.delivery set detail = detail || :detail::jsonb where id = :id;

-- name: find_last_ping(bot_id)
select max(last_ping_at) from pabal.bot_device where bot_id = :bot_id;

-- name: is_unproven(bot_id)
select exists (
  select from pabal.bot b join pabal.bot_device d on d.bot_id = b.id join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
  where b.id = :bot_id and pabal.is_unproven(b, d));

-- name: note_ends(ids, sent, failed, now)
update pabal.message_schedule s set last_sent_at = case when g.sent > 0 then :now else s.last_sent_at end, send_count = s.send_count + g.sent,
  failures = case when g.failed > 0 then s.failures + g.failed when g.sent > 0 then 0 else s.failures end
from unnest(:ids::bigint[], :sent::int[], :failed::int[]) as g(id, sent, failed) where s.id = any(:ids::bigint[]) and s.id = g.id
returning s.id, s.state, s.failures, s.schedule_type, s.timetable_id,
  (select t.next_at from pabal.schedule t where t.id = s.timetable_id) is not null as goes_on;

-- name: list_through(ids, timetables, jobs)
-- no send under way, no occurrence that waits for its turn; these jobs are ending
select g.id from unnest(:ids::bigint[], :timetables::bigint[]) as g(id, timetable_id)
where (select d.id from pabal.delivery d where d.schedule_id = g.id and d.state = 'open' and d.cause <> 'test' limit 1) is null
  and (select o.work_id from pabal.occurrence o
       where o.schedule_id = g.timetable_id and o."end" is null and o.work_id > 0 and o.work_id <> all(:jobs::bigint[]) limit 1) is null;

-- name: list_bots_in(room_id, bot_id)
-- the wanted one first, then those that are connected now
select b.id, b.name from pabal.room_bot rb join pabal.bot b on b.id = rb.bot_id
where rb.room_id = :room_id and b.excluded_at is null
order by b.id <> :bot_id, not exists (
  select from pabal.bot_device d join pabal.worker w on w.id = d.worker where d.bot_id = b.id and d.state = 'approved'), b.id;

-- name: mark_parts(jobs, tokens, queues, epochs, deliveries, numbers, states, written, handled)
-- Fenced and written in one statement, which is a commit of its own: bytes wait for it. Each part only from where it may come; one that
-- is there already, by the same attempt, is an answer that got lost. Only to begin needs the route: what became of a part may be said
-- without it, for whoever comes next must know it.
with held as materialized (select distinct * from pabal.hold(:jobs::bigint[], :tokens::bigint[], :queues::text[])),
given as materialized (
  select g.*, h.id is not null as is_held, g.epoch is null or h.epoch is not distinct from g.epoch as has_route
  from unnest(:jobs::bigint[], :tokens::bigint[], :epochs::bigint[], :deliveries::bigint[], :numbers::smallint[], :states::text[],
      :written::interval[], :handled::interval[])
    with ordinality as g(job, token, epoch, delivery_id, no, state, written, handled, n)
  left join held h on h.id = g.job and h.token = g.token),
marked as (
  update pabal.delivery_part p set state = case g.state when 'handled' then 'written' else g.state end, token = g.token,
    receipt = g.state <> 'planned',
    began_at = case g.state when 'writing' then pabal.now() when 'planned' then null else p.began_at end,
    written_at = case when g.state in ('written', 'handled') then coalesce(p.written_at, pabal.now() - g.written) end,
    handled_at = case g.state when 'handled' then pabal.now() - g.handled when 'written' then p.handled_at end
  from given g
  where p.delivery_id = any(:deliveries::bigint[]) and p.delivery_id = g.delivery_id and p.no = g.no
    and g.is_held and (g.has_route or g.state <> 'writing')
    and ((p.state = 'planned' and g.state = 'writing')
      or (p.token = g.token and (p.state in ('writing', g.state) or (p.state = 'written' and g.state = 'handled'))))
  returning p.delivery_id, p.no)
select g.is_held, g.has_route, exists (select from marked m where m.delivery_id = g.delivery_id and m.no = g.no) as stands
from given g order by g.n;

-- name: note_handled(deliveries, numbers, tokens, written, handled, now)!
-- in the commit that ends their attempts
update pabal.delivery_part p set state = 'written', written_at = coalesce(p.written_at, :now::timestamptz - g.written),
  handled_at = :now::timestamptz - g.handled
from unnest(:deliveries::bigint[], :numbers::smallint[], :tokens::bigint[], :written::interval[], :handled::interval[])
  as g(delivery_id, no, token, written, handled)
where p.delivery_id = any(:deliveries::bigint[]) and p.delivery_id = g.delivery_id and p.no = g.no and p.token = g.token
  and p.state in ('writing', 'written');

-- name: settle_begun(delivery_id, state, resent)!
-- what an attempt before this one left behind: begun, or written and never confirmed. Nobody knows whether it arrived
update pabal.delivery_part set state = :state, resent = resent + :resent::smallint, receipt = :state <> 'planned'
where delivery_id = :delivery_id and (state = 'writing' or (state = 'written' and receipt and handled_at is null));

-- name: plan_unknown(delivery_id)!
update pabal.delivery_part set state = 'planned', resent = resent + 1, receipt = false
where delivery_id = :delivery_id and state = 'unknown';

-- name: note_seen(bots, channels, texts, since, now)
-- a bot reported a text of its own in a room: the newest it was sent there lately and has handled
update pabal.delivery_part p set seen_at = :now
from (
  select distinct on (g.n) d.id as delivery_id, t.no
  from unnest(:bots::bigint[], :channels::text[], :texts::text[]) with ordinality as g(bot_id, channel, text, n)
  join pabal.room r on r.channel_id = g.channel
  join pabal.delivery d on d.room_id = r.id and d.bot_id = g.bot_id and d.started_at >= :since and d.content->>'text' = g.text
  join pabal.delivery_part t on t.delivery_id = d.id and t.component = 'text' and t.state = 'written' and t.receipt and t.seen_at is null
  order by g.n, t.began_at desc) f
where p.delivery_id = f.delivery_id and p.no = f.no
returning p.delivery_id;

-- name: list_parts(deliveries)
select p.delivery_id, p.no, p.component, p.from_image, p.to_image,
  case when p.seen_at is not null then 'seen' when p.handled_at is not null then 'handled' else p.state end as state,
  p.token, p.began_at, p.written_at, p.resent, p.receipt, p.handled_at, p.seen_at
from pabal.delivery_part p where p.delivery_id = any(:deliveries::bigint[]) order by p.delivery_id, p.no;

-- name: delete_parts(deliveries)!
delete from pabal.delivery_part where delivery_id = any(:deliveries::bigint[]);

-- name: insert_parts(deliveries, numbers, components, firsts, lasts)
insert into pabal.delivery_part (delivery_id, no, component, from_image, to_image, state)
select g.delivery_id, g.no, g.component, g.first_image, g.last_image, 'planned'
from unnest(:deliveries::bigint[], :numbers::smallint[], :components::text[], :firsts::smallint[], :lasts::smallint[])
  as g(delivery_id, no, component, first_image, last_image)
returning delivery_id, no, component, from_image, to_image, state, token, began_at, written_at, resent, receipt, handled_at, seen_at;
