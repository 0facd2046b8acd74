-- name: list_tables()
-- of relations that hold rows themselves
select c.oid::regclass::text as name
from pg_class c
where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);

-- name: read_catalogue()
-- Another answer than before: something was made, altered, dropped, truncated or analysed meanwhile.
select row(
    (select row(count(*), max(xmin::text::bigint)) from pg_class),
    (select row(count(*), max(xmin::text::bigint)) from pg_attribute),
    (select row(count(*), max(xmin::text::bigint)) from pg_constraint),
    (select row(count(*), max(xmin::text::bigint)) from pg_index),
    (select row(count(*), max(xmin::text::bigint)) from pg_trigger),
    (select row(count(*), max(xmin::text::bigint)) from pg_proc),
    (select row(count(*), max(xmin::text::bigint)) from pg_type),
    (select row(count(*), max(xmin::text::bigint)) from pg_namespace),
    (select row(count(*), max(xmin::text::bigint)) from pg_statistic),
    (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()),
    (select count(*) from pg_prepared_xacts where database = current_database())
)::text;

-- name: count_others()
select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();

-- name: read_largest()
-- bytes of the largest table
select max(pg_relation_size(c.oid))
from pg_class c
where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);

-- name: list_written()
-- every table that had a row at any time
select c.oid::regclass::text as name
from pg_class c
where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and pg_relation_size(c.oid) > 0;

-- name: restart_sequences()
select count(setval(seqrelid, seqstart, false)) from pg_sequence where pg_sequence_last_value(seqrelid) is not null;
