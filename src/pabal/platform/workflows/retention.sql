-- name: delete_questions(runs)
-- and what the inbox has of them: all were decided or withdrawn when their run ended
with gone as materialized (delete from pabal.workflow_question q where q.run_id = any(:runs::bigint[]) returning q.id),
decided as materialized (
  delete from pabal.approval a using gone g where a.machine = 'workflow_question' and a.subject = g.id returning a.id)
select id, true as is_question from gone union all select id, false from decided;

-- name: forget_starts()!
-- an event that is not there any more is not handed out again
delete from pabal.workflow_start s where not exists (select from pabal.event e where e.seq = s.event_seq);

-- name: note_cleaned(units, roles, runs, now)!
insert into pabal.workflow_cleaning (unit_id, seen_by, cleaned_on, cleaned_at, runs)
select g.unit_id, g.seen_by, (:now::timestamptz at time zone 'UTC')::date, :now, g.runs
from unnest(:units::bigint[], :roles::text[], :runs::integer[]) as g(unit_id, seen_by, runs)
on conflict (unit_id, seen_by, cleaned_on) do update
set cleaned_at = excluded.cleaned_at, runs = pabal.workflow_cleaning.runs + excluded.runs;

-- name: forget_cleaned(before)!
delete from pabal.workflow_cleaning where cleaned_at < :before;

-- name: find_cleaned(units, seen_by)
-- the newest day on which something of these went
select max(c.cleaned_at) as cleaned_at, sum(c.runs)::int as runs from pabal.workflow_cleaning c
where (:units::bigint[] is null or c.unit_id = any(:units::bigint[])) and c.seen_by = any(:seen_by::text[])
group by c.cleaned_on order by c.cleaned_on desc limit 1;
