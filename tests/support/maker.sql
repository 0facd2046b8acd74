-- name: list_tables()
-- of relations that hold rows themselves
select c.oid::regclass::text as name
from pg_class c
where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);

-- name: read_catalogue()
-- How often it was written: another answer than before means that something was made, altered, dropped, truncated or analysed meanwhile. Whoever is gone has
-- told what they wrote. A server that does not count never gives the same answer; one that lost its counts still has its tables.
select row(
    (select row(count(*), max(xmin::text::bigint)) from pg_class),
    (
        select sum(pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid))
        from pg_class
        where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared
    ),
    case current_setting('track_counts') when 'on' then 0 else random() end,
    (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()),
    (select count(*) from pg_prepared_xacts where database = current_database())
)::text;

-- name: count_others(forgot)
-- but for sessions that are kept (tests/support/kept.py): one that is idle after it forgot all has told what it wrote
select count(*) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and not (state = 'idle' and query = :forgot::text);

-- name: list_written()
-- every table that had a row at any time, and its bytes
select c.oid::regclass::text as name, pg_relation_size(c.oid) as size
from pg_class c
where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and pg_relation_size(c.oid) > 0;

-- name: restart_sequences()
select count(setval(seqrelid, seqstart, false)) from pg_sequence where pg_sequence_last_value(seqrelid) is not null;
