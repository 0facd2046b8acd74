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

-- name: list_timers(machine, subject)
select event, nullif(due_at, 'infinity') as due_at, tries, error from pabal.timer
where machine = :machine and subject = :subject order by timer.due_at, event;
