-- `subject_table` stands for the machine's table; subjects.of() puts in the name that was checked at import.

-- name: has_unit(subjects)
select exists (select from pg_attribute where attrelid = to_regclass(:subjects::text) and attname = 'unit_id' and not attisdropped);

-- name: list_subjects(machine, units, states, before, most)
with found as materialized (
  select s.id, s.unit_id, s.state, s.version from subject_table s
  where s.id < :before and (:states::text[] is null or s.state = any(:states::text[])) and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]))
  order by s.id desc limit :most)
select f.id, f.unit_id, f.state, f.version, h.at as since, h.event, h.actor, h.reason, t.event as next_event, t.due_at as next_at
from found f
left join lateral (
  select h.at, h.event, h.actor, h.reason from pabal.transition h
  where h.machine = :machine and h.subject = f.id order by h.version desc limit 1) h on true
left join lateral (
  select t.event, t.due_at from pabal.timer t
  where t.machine = :machine and t.subject = f.id and t.due_at < 'infinity' order by t.due_at, t.event limit 1) t on true
order by f.id desc;

-- name: list_unowned(machine, states, before, most)
-- the same of a table whose rows belong to nobody
with found as materialized (
  select s.id, s.state, s.version from subject_table s
  where s.id < :before and (:states::text[] is null or s.state = any(:states::text[])) order by s.id desc limit :most)
select f.id, null::bigint as unit_id, f.state, f.version, h.at as since, h.event, h.actor, h.reason, t.event as next_event, t.due_at as next_at
from found f
left join lateral (
  select h.at, h.event, h.actor, h.reason from pabal.transition h
  where h.machine = :machine and h.subject = f.id order by h.version desc limit 1) h on true
left join lateral (
  select t.event, t.due_at from pabal.timer t
  where t.machine = :machine and t.subject = f.id and t.due_at < 'infinity' order by t.due_at, t.event limit 1) t on true
order by f.id desc;

-- name: count_states(units, states)
-- each up to the cap, from the table's own index of states
select g.state, (select count(*) from (
  select from subject_table s where s.state = g.state and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) limit 10001) c)::int as count
from unnest(:states::text[]) with ordinality as g(state, n) order by g.n;

-- name: count_unowned_states(states)
select g.state, (select count(*) from (select from subject_table s where s.state = g.state limit 10001) c)::int as count
from unnest(:states::text[]) with ordinality as g(state, n) order by g.n;
