-- name: read_now()
select pabal.now();

-- name: read_now_with(names, values)
-- settings of this transaction alone: a pooler gives the connection to somebody else after it
select pabal.now(), (select count(set_config(name, value, true)) from unnest(:names::text[], :values::text[]) as setting (name, value));

-- name: read_process()
select pg_backend_pid();
