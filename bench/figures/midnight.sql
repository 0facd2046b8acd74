-- name: start_all(now)!
-- The baseline: one statement, set-based, the same rows in the same tables with the same indexes. It knows one span a day,
-- no exceptions and no clock change, and nobody can look into the middle of it.
with due as (
  delete from pabal.timer where machine = 'adgroup' and event = 'start' and due_at <= :now::timestamptz returning subject, event),
started as (
  select g.id, w.end_at as day_end from due join pabal.ad_group g on g.id = due.subject left join lateral (
    select min(d.day + (d.span ->> 0)::interval + d.length) at time zone g.zone as end_at from (
      select d.day, s.span,
        case when (s.span ->> 1)::interval > (s.span ->> 0)::interval then (s.span ->> 1)::interval - (s.span ->> 0)::interval
          else (s.span ->> 1)::interval - (s.span ->> 0)::interval + interval '24 hours' end as length
      from (values (-1), (0)) as o(days)
      cross join lateral (select date_trunc('day', :now::timestamptz at time zone g.zone) + o.days * interval '1 day' as day) d
      cross join lateral jsonb_array_elements(g.dayparts -> lower(to_char(d.day, 'dy'))) as s(span)) d
    where :now::timestamptz at time zone g.zone >= d.day + (d.span ->> 0)::interval
      and :now::timestamptz at time zone g.zone < d.day + (d.span ->> 0)::interval + d.length) w on true
  where g.state = 'approved' and g.start_at <= :now::timestamptz and g.end_at > :now::timestamptz and not g.is_held
    and (g.dayparts is null or w.end_at is not null)),
moved as (
  update pabal.ad_group g set state = 'running', version = g.version + 1 from started
  where g.id = started.id returning g.id, g.unit_id, g.version, g.end_at, started.day_end),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select 'adgroup.running', 'adgroup:' || id, unit_id, :now::timestamptz, jsonb_build_object('event', 'start', 'source', 'approved',
    'target', 'running', 'version', version, 'actor', 'engine', 'reason', 'timer', 'cause', null) from moved),
armed as (
  insert into pabal.timer (machine, subject, event, due_at)
  select 'adgroup', id, 'daily_end', day_end from moved where day_end < end_at),
kept as (
  update pabal.timer t set due_at = moved.end_at from moved
  where t.machine = 'adgroup' and t.subject = moved.id and t.event = 'expire')
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, at)
select 'adgroup', id, version, 'start', 'approved', 'running', unit_id, 'engine', 'timer', :now::timestamptz from moved;
