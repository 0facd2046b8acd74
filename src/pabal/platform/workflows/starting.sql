-- name: find_depth(run, signal)
select max(r.depth) from pabal.workflow_run r
where r.id = :run::bigint or r.id in (select w.run_id from pabal.workflow_wait w where w.signal = :signal);
