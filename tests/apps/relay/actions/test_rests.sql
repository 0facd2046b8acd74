-- name: count_rests()
select count(*) from relay.rest;
