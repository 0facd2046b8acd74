-- name: insert_rule(unit_id, name, schedule, zone, payload, script, function, fetch, network, reads, writes, artifact_days, source, condition, on_success, on_failure, misfire, misfire_max, overlap, timeout, attempts, retry, cooldown, created_by, now)
insert into rules.rule (unit_id, name, schedule, zone, payload, execution_script_path, script_function, fetch_before_run, allow_network, read_folders,
  write_folders, artifact_days, source, condition, on_success, on_failure, misfire, misfire_max, overlap, timeout_seconds, max_attempts, retry_seconds, cooldown_seconds, created_by, created_at, updated_at)
values (:unit_id, :name, :schedule, :zone, :payload, :script, :function, :fetch, :network, :reads, :writes, :artifact_days, :source, :condition,
  :on_success, :on_failure, :misfire, :misfire_max,
  :overlap, :timeout, :attempts, :retry, :cooldown, :created_by, :now, :now)
returning id;

-- name: update_rule(id, unit_id, name, schedule, zone, payload, script, function, fetch, network, reads, writes, artifact_days, source, condition, on_success, on_failure, misfire, misfire_max, overlap, timeout, attempts, retry, cooldown, now)!
-- a changed condition has said nothing yet
update rules.rule set unit_id = :unit_id, name = :name, schedule = :schedule, zone = :zone, payload = :payload, execution_script_path = :script,
  script_function = :function, fetch_before_run = :fetch, allow_network = :network, read_folders = :reads, write_folders = :writes,
  artifact_days = :artifact_days, source = :source, last_met = case when condition is not distinct from :condition::jsonb then last_met end,
  told_at = case when condition is not distinct from :condition::jsonb then told_at end, condition = :condition,
  on_success = :on_success, on_failure = :on_failure, misfire = :misfire, misfire_max = :misfire_max, overlap = :overlap,
  timeout_seconds = :timeout, max_attempts = :attempts, retry_seconds = :retry, cooldown_seconds = :cooldown, updated_at = :now
where id = :id;

-- name: load_rules(numbers)
select r.uid as id, r.id as number, r.unit_id, r.name, r.state, r.version, r.schedule, r.zone, r.payload, r.execution_script_path,
  r.script_function, r.fetch_before_run, r.allow_network, r.read_folders, r.write_folders, r.artifact_days, r.source, r.condition, r.on_success, r.on_failure, r.misfire, r.misfire_max, r.overlap, r.timeout_seconds, r.max_attempts, r.retry_seconds,
  r.cooldown_seconds, r.timetable_id, r.last_met, r.told_at, r.created_at, r.created_by, r.updated_at
from rules.rule r where r.id = any(:numbers::bigint[]);

-- name: find_number(id)
select r.id from rules.rule r where r.uid = :id;

-- name: hold_number(id)
select r.id from rules.rule r where r.uid = :id for no key update;

-- name: list_rules(units, states, q, before, most)
select r.id from rules.rule r
where r.id < :before and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) and r.state = any(:states::text[])
  and (:q::text is null or strpos(lower(r.name), lower(:q)) > 0)
order by r.id desc limit :most;

-- name: count_rules(units, states, q)
select count(*) from (
  select from rules.rule r
  where (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) and r.state = any(:states::text[])
    and (:q::text is null or strpos(lower(r.name), lower(:q)) > 0)
  limit 10001) found;

-- name: find_named(name, units, most)
select r.id from rules.rule r
where r.name = :name and r.state <> 'deleted' and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
order by r.id desc limit :most;

-- name: set_timetable(id, timetable_id)!
update rules.rule set timetable_id = :timetable_id where id = :id;

-- name: remember(id, met, told_at)!
update rules.rule set last_met = :met, told_at = coalesce(:told_at::timestamptz, told_at) where id = :id;

-- name: list_recent(numbers, most)
-- the last runs of each, newest last
select g.id, string_agg(case when x.state = 'success' then '7' when x.reason in ('missed', 'skipped_overlap') then 'm' else 'x' end, '' order by x.id) as recent
from unnest(:numbers::bigint[]) as g(id)
join lateral (
  select n.id, n.state, n.reason from rules.run n
  where n.rule_id = g.id and n.state <> 'running' and not n.is_dry order by n.id desc limit :most) x on true
group by g.id;

-- name: delete_gone(before, most)!
-- a deleted rule goes when its last run has gone
delete from rules.rule where id in (
  select r.id from rules.rule r
  where r.state = 'deleted' and r.updated_at < :before and not exists (select from rules.run n where n.rule_id = r.id)
  order by r.id limit :most);

-- name: touch(id, now)!
update rules.rule set updated_at = :now where id = :id;

-- name: list_scripts()
-- unit: packages are prepared for all
select distinct r.execution_script_path as script, r.fetch_before_run as is_fetched from rules.rule r
where r.state <> 'deleted' and r.execution_script_path is not null order by 1, 2;

-- name: load_memory(id)
select r.memory from rules.rule r where r.id = :id;

-- name: keep_memory(id, memory)!
update rules.rule set memory = :memory where id = :id;
