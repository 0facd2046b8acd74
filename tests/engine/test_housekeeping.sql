-- name: count_work()
select count(*) from pabal.work;

-- name: count_outcome()
select count(*) from pabal.outcome;

-- name: count_fact()
select count(*) from pabal.fact;
