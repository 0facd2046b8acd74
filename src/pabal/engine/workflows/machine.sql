-- name: load_runs(ids)
select id, unit_id, state, version, ends_by from pabal.workflow_run where id = any(:ids::bigint[]) order by id;
