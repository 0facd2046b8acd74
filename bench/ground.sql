-- name: version()$
select current_setting('server_version');

-- name: list_databases()
select datname as name from pg_database where datname ~ '^bench_\d+_\d+$';

-- name: create#
create database bench_name;

-- name: drop#
drop database if exists bench_name with (force);

-- name: vacuum_analyze#
vacuum (analyze);

-- name: checkpoint#
checkpoint;

-- name: wal_bytes()$
select pg_current_wal_insert_lsn() - '0/0'::pg_lsn;
