-- name: count_waiting()
-- not what is leased: a stopped server may hold hundreds of them
select (select count(*) from pabal.ready) + (select count(*) from pabal.waiting) as waiting;

-- name: read_moment()
select extract(epoch from clock_timestamp())::float8;
