-- name: find_commits(ended, begun)
-- the transactions that wrote the end of one and the lease of the other
select (select xmin::text from pabal.outcome where id = :ended and final) as ended,
       (select xmin::text from pabal.lease where id = :begun) as begun;

-- name: lock_life(worker)
select id from pabal.worker where id = :worker for update;

-- name: lock_leases#
lock table pabal.lease in access exclusive mode;

-- name: forget_lease(id)!
delete from pabal.lease where id = :id and token = 0;
