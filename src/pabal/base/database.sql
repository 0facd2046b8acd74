-- name: read_now()
select pabal.now();
