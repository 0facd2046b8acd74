-- name: insert_run(unit_id, source, file_id, created_by, now)
insert into pabal.legacy_run (unit_id, state, source, file_id, created_by, created_at)
values (:unit_id, 'planned', :source, :file_id, :created_by, :now) returning id;

-- name: delete_run(id)!
delete from pabal.legacy_run where id = :id;

-- name: end_plan(id, rows, states, marks, refusals)!
update pabal.legacy_run set rows = :rows, states = :states::jsonb, marks = :marks::jsonb, refusals = :refusals::jsonb where id = :id;

-- name: find_run(id)
select id, unit_id, state, mode, source, file_id, plan_file_id, report_file_id, rows, checkpoint, counts, states, marks, refusals, even_touched,
  error, created_by, created_at, started_at, finished_at, rolled_back_at
from pabal.legacy_run where id = :id;

-- name: hold_run(id)
select id, unit_id, state, mode, source, file_id, plan_file_id, report_file_id, rows, checkpoint, counts, states, marks, refusals, even_touched,
  error, created_by, created_at, started_at, finished_at, rolled_back_at
from pabal.legacy_run where id = :id for update skip locked;

-- name: list_runs(units, before_id, most)
select id, unit_id, state, mode, source, file_id, plan_file_id, report_file_id, rows, checkpoint, counts, states, marks, refusals, even_touched,
  error, created_by, created_at, started_at, finished_at, rolled_back_at
from pabal.legacy_run
where id < :before_id and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: list_rows(run_id, after, most)
select n, legacy_id, name, campaign, start_at, end_at, old_status, calculated, state, marks, refusal, problem, outcome, ad_group_id
from pabal.legacy_row where run_id = :run_id and n > :after order by n limit :most;

-- name: list_noted_rows(run_id, only, after, most)
select n, legacy_id, name, campaign, start_at, end_at, old_status, calculated, state, marks, refusal, problem, outcome, ad_group_id
from pabal.legacy_row
where run_id = :run_id and n > :after and (marks <> '{}' or refusal is not null)
  and case :only::text when 'suspicious' then marks <> '{}' when 'refused' then refusal is not null
    else :only = any(marks) or refusal = :only end
order by n limit :most;

-- name: move_run(id, state, mode, even_touched, error, now)!
update pabal.legacy_run set state = :state, mode = :mode, even_touched = :even_touched, error = :error,
  started_at = case when :state::text = 'running' then coalesce(started_at, :now) else started_at end,
  finished_at = case when :state::text = 'done' then :now else finished_at end,
  rolled_back_at = case when :state::text = 'rolled_back' then :now else rolled_back_at end,
  -- what was reported is not so any more
  report_file_id = case when :state::text in ('done', 'rolled_back') then null else report_file_id end
where id = :id;

-- name: advance(id, checkpoint, counts)!
update pabal.legacy_run set checkpoint = :checkpoint, counts = :counts::jsonb where id = :id;

-- name: add_made(id, campaigns, inventories)!
update pabal.legacy_run set campaigns = campaigns || :campaigns::bigint[], inventories = inventories || :inventories::bigint[] where id = :id;

-- name: set_plan_file(id, file_id)!
update pabal.legacy_run set plan_file_id = :file_id where id = :id;

-- name: set_report_file(id, file_id)!
update pabal.legacy_run set report_file_id = :file_id where id = :id;

-- name: show_lines(run_id, after, upto)
-- As CSV, made here: of 200,000 rows each would otherwise come to Python and go again. A sign that spreadsheets take
-- for the beginning of a formula gets a quote before it.
select max(r.n) as last, string_agg(concat_ws(',', r.n, f.legacy_id, f.name, coalesce(r.calculated, ''), coalesce(upper(r.state), ''),
  array_to_string(r.marks, ' '), coalesce(r.refusal, ''), f.problem, coalesce(r.outcome, ''), coalesce(r.ad_group_id::text, '')), E'\r\n' order by r.n)
  || E'\r\n' as lines
from pabal.legacy_row r cross join lateral (
  select '"' || replace(regexp_replace(coalesce(r.legacy_id, ''), '^([=+@\t\r-])', '''\1'), '"', '""') || '"' as legacy_id,
    '"' || replace(regexp_replace(coalesce(r.name, ''), '^([=+@\t\r-])', '''\1'), '"', '""') || '"' as name,
    '"' || replace(regexp_replace(coalesce(r.problem, ''), '^([=+@\t\r-])', '''\1'), '"', '""') || '"' as problem) f
where r.run_id = :run_id and r.n > :after and r.n <= :upto;
