-- `subject_table` stands for the machine's table; subjects.of() puts in the name that was checked at import.

-- name: lock_subjects(ids)
select s.id from subject_table s where s.id = any (:ids::bigint[]) order by s.id for update;

-- name: lock_plain(ids)
select s.id, s.unit_id, s.state, s.version from subject_table s where s.id = any (:ids::bigint[]) order by s.id for update;

-- name: load_plain(ids)
select s.id, s.unit_id, s.state, s.version from subject_table s where s.id = any (:ids::bigint[]) order by s.id;

-- name: swap_states(ids, states, versions)!
-- locked by this transaction, so a subject's place is sure (why a lateral: see claims.sql)
update subject_table s set state = f.state, version = s.version + 1
from (
  select s.place, m.state from unnest(:ids::bigint[], :states::text[], :versions::bigint[]) as m(id, state, version) cross join lateral (
    select s.ctid as place from subject_table s where s.id = m.id and s.version = m.version offset 0) s) f
where s.ctid = f.place;

-- name: drop_timers(machine, subjects)!
delete from pabal.timer where machine = :machine and subject = any (:subjects::bigint[]);

-- name: drop_history(machine, subjects)!
delete from pabal.transition where machine = :machine and subject = any (:subjects::bigint[]);

-- name: insert_timers(machine, subjects, events, due_ats)!
insert into pabal.timer (machine, subject, event, due_at)
select :machine::text, a.subject, a.event, a.due_at
from unnest(:subjects::bigint[], :events::text[], :due_ats::timestamptz[]) as a(subject, event, due_at);
