-- name: list_writers(run)
-- the transactions that wrote the steps of a run as they are now, and the jobs that wait for a moment
with written as (
  select xmin::text as writer, 1 as step from pabal.workflow_step where run_id = :run
  union all select d.xmin::text, 0 from pabal.delayed d)
select sum(step) as steps, count(distinct writer) as writers from written;

-- name: take_leases()!
-- as if another server had rescued them and taken them up
update pabal.lease set token = token + 1;

-- name: hold_run(run)!
select from pabal.workflow_run where id = :run for update;
