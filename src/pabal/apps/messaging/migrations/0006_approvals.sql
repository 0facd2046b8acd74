-- What waits for a person already is asked in the inbox too: devices nobody decided about, and what was missed in the last day.
with asked as (
  insert into pabal.approval (unit_id, kind, machine, subject, alike, requested_by, deadline_at, opened_at)
  select d.unit_id, 'messaging.device', 'bot_device', d.id, 'bot:' || d.bot_id, 'engine', null::timestamptz, pabal.now()
  from pabal.bot_device d where d.state = 'pending' or d.state = 'approved' and d.asks_from is not null
  union all
  select d.unit_id, 'messaging.missed', 'delivery', d.id, 'schedule:' || d.schedule_id, 'engine', d.scheduled_at + interval '24 hours', pabal.now()
  from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id
  where d.state = 'missed' and d.scheduled_at > pabal.now() - interval '24 hours' and d.cause <> 'test' and s.late_policy <> 'skip'
    and d.detail ->> 'dismissed_by' is null
  returning id, unit_id, deadline_at),
begun as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select 'approval', a.id, 1, 'begin', null, 'open', a.unit_id, 'engine', null, null, pabal.now() from asked a)
insert into pabal.timer (machine, subject, event, due_at)
select 'approval', a.id, 'expire', a.deadline_at from asked a where a.deadline_at is not null;
