-- name: notify(channel, payload)
select pg_notify(:channel, :payload);

-- name: probe()
select 1;
