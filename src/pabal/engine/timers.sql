-- name: lock_due(machine, batch)
-- Joined to their subjects before the limit, so that a thousand locked subjects do not hide the ones behind them.
select t.subject, t.event, t.due_at, t.tries
from pabal.timer t join subject_table s on s.id = t.subject
where t.machine = :machine and t.due_at <= pabal.now()
order by t.due_at, t.subject limit :batch for update of s skip locked;

-- name: take_due(machine, subjects, events, due_ats)
-- After the subjects are locked, in a new snapshot: a timer that an edit moved meanwhile stays.
delete from pabal.timer t where t.ctid = any(array(
  select t.place from unnest(:subjects::bigint[], :events::text[], :due_ats::timestamptz[]) as d(subject, event, due_at) cross join lateral (
    select t.ctid as place from pabal.timer t
    where t.machine = :machine and t.subject = d.subject and t.event = d.event and t.due_at = d.due_at offset 0) t))
returning t.subject, t.event, t.due_at, t.tries;

-- name: drop_orphans(machine)!
-- Timers of rows that somebody deleted would be due for ever.
delete from pabal.timer t
where t.machine = :machine and t.due_at <= pabal.now() and (select s.id from subject_table s where s.id = t.subject) is null;

-- name: put_off(machine, subject, event, tries, error, quarantined)!
insert into pabal.timer (machine, subject, event, due_at, tries, error)
values (:machine, :subject, :event,
  case when :quarantined::boolean then 'infinity' else pabal.now() + :tries::int * interval '1 minute' end, :tries, :error);

-- name: next_due(machines)
select min(first.due_at)
from unnest(:machines::text[]) as m(name) cross join lateral (
  select t.due_at from pabal.timer t where t.machine = m.name and t.due_at < 'infinity' order by t.due_at limit 1) first;

-- name: list_armed(machine, units, events, late_at, subjects, due_at, after_subject, after_event, most)
-- by when they are due; those in quarantine last
select t.subject, t.event, nullif(t.due_at, 'infinity') as due_at, t.tries, t.error, s.unit_id, s.state, s.version
from pabal.timer t join subject_table s on s.id = t.subject
where t.machine = :machine and (t.due_at, t.subject, t.event) > (:due_at::timestamptz, :after_subject::bigint, :after_event::text)
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:events::text[] is null or t.event = any(:events::text[]))
  and (:late_at::timestamptz is null or t.due_at < :late_at or t.due_at = 'infinity')
  and (:subjects::bigint[] is null or t.subject = any(:subjects::bigint[]))
order by t.due_at, t.subject, t.event limit :most;

-- name: count_late(machine, before)
select s.unit_id, count(*) filter (where t.due_at < 'infinity')::int as late, count(*) filter (where t.due_at = 'infinity')::int as stuck
from (select subject, due_at from pabal.timer where machine = :machine and due_at < :before
  union all select subject, due_at from pabal.timer where machine = :machine and due_at = 'infinity') t
join subject_table s on s.id = t.subject
group by s.unit_id order by s.unit_id;

-- name: list_timers(machine, subject)
select event, nullif(due_at, 'infinity') as due_at, tries, error from pabal.timer
where machine = :machine and subject = :subject order by timer.due_at, event;
