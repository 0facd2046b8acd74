-- What waits for a person already is asked in the inbox too: ad groups that are ready and not past their end.
with asked as (
  insert into pabal.approval (unit_id, kind, machine, subject, alike, requested_by, deadline_at, opened_at)
  select g.unit_id, 'adgroups.ready', 'adgroup', g.id, 'campaign:' || g.campaign_id, coalesce(t.actor, 'engine'), g.end_at, pabal.now()
  from pabal.ad_group g left join pabal.transition t on t.machine = 'adgroup' and t.subject = g.id and t.version = g.version
  where g.state = 'ready' and g.end_at > pabal.now()
  returning id, unit_id, deadline_at),
begun as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select 'approval', a.id, 1, 'begin', null, 'open', a.unit_id, 'engine', null, null, pabal.now() from asked a)
insert into pabal.timer (machine, subject, event, due_at)
select 'approval', a.id, 'expire', a.deadline_at from asked a;
