-- `subject_table` stands for the machine's table; subjects.of() puts in the name that was checked at import.

-- name: lock_subjects(ids)
select s.id from subject_table s where s.id = any (:ids::bigint[]) order by s.id for update;

-- name: lock_plain(ids)
select s.id, s.unit_id, s.state, s.version from subject_table s where s.id = any (:ids::bigint[]) order by s.id for update;

-- name: load_plain(ids)
select s.id, s.unit_id, s.state, s.version from subject_table s where s.id = any (:ids::bigint[]) order by s.id;

-- name: drop_timers(machine, subjects)!
delete from pabal.timer where machine = :machine and subject = any (:subjects::bigint[]);

-- name: drop_history(machine, subjects)!
delete from pabal.transition where machine = :machine and subject = any (:subjects::bigint[]);

-- name: insert_timers(machine, subjects, events, due_ats)!
insert into pabal.timer (machine, subject, event, due_at)
select :machine::text, a.subject, a.event, a.due_at
from unnest(:subjects::bigint[], :events::text[], :due_ats::timestamptz[]) as a(subject, event, due_at);
