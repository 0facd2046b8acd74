-- name: insert_run(rule_id, unit_id, trigger, is_dry, scheduled_at, reason, work_id, requested_by, now)
-- a moment has one run: whoever comes second finds the first
insert into rules.run (rule_id, unit_id, trigger, is_dry, scheduled_at, reason, work_id, requested_by, executed_at)
values (:rule_id, :unit_id, :trigger, :is_dry, :scheduled_at, :reason, :work_id, :requested_by, :now)
on conflict (rule_id, scheduled_at) do nothing
returning id;

-- name: find_due(rule_ids, moments)
select n.id, n.rule_id, n.scheduled_at from unnest(:rule_ids::bigint[], :moments::timestamptz[]) as g(rule_id, at)
join rules.run n on n.rule_id = g.rule_id and n.scheduled_at = g.at;

-- name: insert_due(rule_ids, unit_ids, triggers, moments, attempts, work_ids, now)
-- a moment has one run: whoever comes second finds the first
insert into rules.run (rule_id, unit_id, trigger, is_dry, scheduled_at, attempt, work_id, executed_at)
select g.rule_id, g.unit_id, g.trigger, g.trigger = 'dry_run', g.at, g.attempt, g.work_id, :now
from unnest(:rule_ids::bigint[], :unit_ids::bigint[], :triggers::text[], :moments::timestamptz[], :attempts::integer[], :work_ids::bigint[])
  as g(rule_id, unit_id, trigger, at, attempt, work_id)
on conflict (rule_id, scheduled_at) do nothing
returning id, uid, rule_id, scheduled_at;

-- name: insert_unrun(rule_id, unit_id, scheduled_at, reason, count, now)
insert into rules.run (rule_id, unit_id, state, reason, trigger, scheduled_at, executed_at, finished_at, count)
values (:rule_id, :unit_id, 'failure', :reason, 'schedule', :scheduled_at, :now, :now, :count)
on conflict (rule_id, scheduled_at) do nothing
returning id;

-- name: find_at(rule_id, scheduled_at)
select n.id from rules.run n where n.rule_id = :rule_id and n.scheduled_at = :scheduled_at;

-- name: load_runs(numbers)
select n.uid as id, n.id as number, r.uid as rule_id, n.rule_id as rule_number, r.name as rule_name, n.unit_id, n.state, n.version, n.reason,
  n.trigger, n.is_dry, n.scheduled_at, n.executed_at, n.finished_at, n.exit_code, n.attempt, n.commit, n.is_dirty, n.dirty, n.log_summary, n.log,
  n.artifact_path, n.artifacts, n.artifacts_until, n.artifacts_gone, n.data, n.met, n.checks, n.captured, n.tokens, n.cost, n.count, n.work_id, n.requested_by
from rules.run n join rules.rule r on r.id = n.rule_id where n.id = any(:numbers::bigint[]);

-- name: find_number(id)
select n.id from rules.run n where n.uid = :id;

-- name: hold_number(id)
select n.id from rules.run n where n.uid = :id for no key update;

-- name: list_runs(units, rule_id, states, reason, with_dry, since, until, before, most)
select n.id from rules.run n
where n.id < :before and (:units::bigint[] is null or n.unit_id = any(:units::bigint[]))
  and (:rule_id::uuid is null or n.rule_id = (select r.id from rules.rule r where r.uid = :rule_id))
  and (:states::text[] is null or n.state = any(:states::text[])) and (:reason::text is null or n.reason = :reason)
  and (:with_dry::boolean or not n.is_dry)
  and (:since::timestamptz is null or n.executed_at >= :since) and (:until::timestamptz is null or n.executed_at < :until)
order by n.id desc limit :most;

-- name: begin_attempts(ids, attempts, work_ids, now)!
update rules.run n set attempt = g.attempt, work_id = g.work_id, reason = null,
  executed_at = case when g.attempt = 1 then :now else n.executed_at end
from unnest(:ids::bigint[], :attempts::integer[], :work_ids::bigint[]) as g(id, attempt, work_id) where n.id = g.id;

-- name: note_waiting(id, reason)!
update rules.run set reason = :reason where id = :id;

-- name: ended(ends, now)
-- Columns of the statement that moves them (transitions.move_noting).
finished_at = :now, (reason, exit_code, commit, is_dirty, dirty, log_summary, log, artifact_path, artifacts, artifacts_until, data, met, checks,
  captured, tokens, cost) = (
  select e.reason, e.exit_code, e.commit, e.dirty <> '{}', e.dirty, e.summary, e.log, e.artifact_path, e.artifacts, e.artifacts_until, e.data, e.met,
    e.checks, e.captured, s.tokens + e.tokens, s.cost + e.cost
  from jsonb_to_record(:ends::jsonb -> (f.number - 1)::int) as e(reason text, exit_code integer, commit text, dirty jsonb, summary text, log text,
    artifact_path text, artifacts jsonb, artifacts_until timestamptz, data jsonb, met boolean, checks jsonb, captured jsonb, tokens integer,
    cost double precision));

-- name: new_numbers(count)
select pabal.new_id() as id from generate_series(1, :count::int);

-- name: insert_ended(ends, now)!
-- runs that ended in the commit that began them: nobody has seen them run
insert into rules.run (id, uid, rule_id, unit_id, state, trigger, is_dry, scheduled_at, attempt, work_id, executed_at, finished_at, reason,
  log_summary, data, met, checks, captured)
select e.id, e.uid, e.rule_id, e.unit_id, e.state, e.trigger, false, e.scheduled_at, e.attempt, e.work_id, :now, :now, e.reason,
  e.summary, e.data, e.met, e.checks, e.captured
from jsonb_to_recordset(:ends::jsonb) as e(id bigint, uid uuid, rule_id bigint, unit_id bigint, state text, trigger text, scheduled_at timestamptz,
  attempt integer, work_id bigint, reason text, summary text, data jsonb, met boolean, checks jsonb, captured jsonb);

-- name: note_failed_attempt(id, reason, summary, log, tokens, cost)!
update rules.run set reason = :reason, log_summary = :summary, log = :log, tokens = tokens + :tokens, cost = cost + :cost where id = :id;

-- name: note_log(id, attempt, log)!
update rules.run set log = :log where id = :id and attempt = :attempt and state = 'running';

-- name: list_open_ids()
-- unit: for the folders of this server, whoever's runs they are
select n.uid from rules.run n where n.state = 'running';

-- name: delete_old(before, now, most)
-- unit: for housekeeping, whoever's they are
-- a run stays as long as its files
delete from rules.run where id in (
  select n.id from rules.run n
  where n.finished_at < :before and (n.artifacts_until is null or n.artifacts_until < :now) order by n.finished_at limit :most)
returning id, unit_id, jsonb_array_length(artifacts) as files;

-- name: drop_artifacts(now, most)
-- unit: for housekeeping, whoever's they are
-- what was there is told by its number alone
with due as (
  select n.id, jsonb_array_length(n.artifacts) as files from rules.run n
  where n.artifacts_until < :now order by n.artifacts_until limit :most for update skip locked)
update rules.run n set artifacts = '[]', artifact_path = null, artifacts_until = null, artifacts_gone = n.artifacts_gone + due.files
from due where n.id = due.id returning n.id, n.unit_id, due.files;

-- name: list_before(rule_id, id, names)
-- of each name the newest file that an earlier run of the rule made
select distinct on (a.one->>'name') a.one->>'name' as name, (a.one->>'file')::bigint as file, a.one->>'media_type' as media_type, n.uid as run_id
from rules.run n cross join lateral jsonb_array_elements(n.artifacts) as a(one)
where n.rule_id = :rule_id and n.id < :id and not n.is_dry and n.artifacts <> '[]' and a.one->>'name' = any(:names::text[])
order by a.one->>'name', n.id desc;

-- name: note_cleaned(units, runs, files, now)!
insert into rules.cleaning (unit_id, cleaned_on, cleaned_at, runs, files)
select g.unit_id, (:now::timestamptz at time zone 'UTC')::date, :now, g.runs, g.files
from unnest(:units::bigint[], :runs::integer[], :files::integer[]) as g(unit_id, runs, files)
on conflict (unit_id, cleaned_on) do update
set cleaned_at = excluded.cleaned_at, runs = rules.cleaning.runs + excluded.runs, files = rules.cleaning.files + excluded.files;

-- name: forget_cleaned(before)!
delete from rules.cleaning where cleaned_at < :before;

-- name: find_cleaned(units)
-- the newest day on which something of these went
select max(c.cleaned_at) as cleaned_at, sum(c.runs)::int as runs, sum(c.files)::int as files from rules.cleaning c
where (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
group by c.cleaned_on order by c.cleaned_on desc limit 1;

-- name: count_since(units, since)
select count(*)::int as runs, (count(*) filter (where n.state = 'failure'))::int as failures,
  (count(*) filter (where n.state = 'running'))::int as running
from rules.run n
where n.executed_at >= :since and not n.is_dry and (:units::bigint[] is null or n.unit_id = any(:units::bigint[]));

-- name: list_missed(units, since)
select r.uid as rule_id, r.name, sum(n.count)::int as count, max(n.scheduled_at) as last_at
from rules.run n join rules.rule r on r.id = n.rule_id
where n.reason = 'missed' and n.executed_at >= :since and (:units::bigint[] is null or n.unit_id = any(:units::bigint[]))
group by r.id order by max(n.scheduled_at) desc limit 50;

-- name: list_last(rule_ids)
-- the newest run of each
select x.id from unnest(:rule_ids::bigint[]) as g(id)
join lateral (select n.id from rules.run n where n.rule_id = g.id and not n.is_dry order by n.id desc limit 1) x on true;

-- name: count_failing()
-- unit: for alerts, each of its own
-- active rules whose newest run failed; what was skipped or missed is none
select r.unit_id, count(*)::int as count from rules.rule r
join lateral (
  select n.state from rules.run n
  where n.rule_id = r.id and n.state <> 'running' and not n.is_dry and coalesce(n.reason, '') not in ('missed', 'skipped_overlap', 'cancelled')
  order by n.id desc limit 1) x on x.state = 'failure'
where r.state = 'active' group by r.unit_id;
