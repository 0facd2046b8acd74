-- name: end_along(job, token)
-- The lease of one attempt, held before anything of its owner's, and its end, as claims.sql has it (end_leases), if the owner picks what
-- the attempt was about (`owner_picks`: a table `picked`, and what else is written). A part of the statement that moves that (transitions.move_picked).
held as materialized (
  select l.id, l.token, l.worker, l.started_at from pabal.lease l where l.id = :job and l.token = :token for update),
owner_picks,
over as materialized (select h.* from held h where exists (select from picked)),
gone as (delete from pabal.lease where id = any(array(select id from over))),
released as (
  delete from pabal.dedupe where work_id = any(array(select id from over)) and (until is null or until <= pabal.now())),
closed as (
  update pabal.occurrence o set "end" = 'done', ended_at = pabal.now() where o.work_id = any(array(select id from over)) and o."end" is null),
ended as (
  insert into pabal.outcome (id, token, final, result, worker, started_at, ended_at)
  select id, token, true, 'done', worker, started_at, pabal.now() from over);
