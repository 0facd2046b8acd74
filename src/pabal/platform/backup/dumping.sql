-- name: export_snapshot()
-- this transaction idles while pg_dump works
select pg_export_snapshot(), set_config('idle_in_transaction_session_timeout', '0', true);

-- name: count_tables()
select c.relname as name, pabal.count_rows(c.oid::regclass) as number from pg_class c
where c.relnamespace = 'pabal'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by c.relname;

-- name: describe_scratch(token)
-- named after this database, so that several Pabals on one server sweep only their own
with named as (select 'pabal_check_' || left(md5(current_database()), 8) || '_' || :token::text as name)
select name, format('create database %I template template0 encoding %L lc_collate %L lc_ctype %L',
                    name, pg_encoding_to_char(d.encoding), d.datcollate, d.datctype) as create
from named cross join pg_database d where d.datname = current_database();

-- name: list_scratch()
select format('drop database if exists %I with (force)', datname) as drop from pg_database
where starts_with(datname, 'pabal_check_' || left(md5(current_database()), 8) || '_');

-- name: list_faults()
-- promises of the engine that hold in every snapshot
with place (id) as (
  select id from pabal.waiting union all select id from pabal.delayed
  union all select id from pabal.ready union all select id from pabal.lease),
placed as (select id, count(*) as number from place group by id),
job as (
  select coalesce(p.number, 0) as places, o.id is not null as ended
  from pabal.work w left join placed p on p.id = w.id left join pabal.outcome o on o.id = w.id and o.final)
select 'jobs that are nowhere, in two places, or open after their end' as fault, count(*) as number
from job where places <> case when ended then 0 else 1 end
union all
select 'jobs in a place that do not exist', count(*) from placed p where not exists (select from pabal.work w where w.id = p.id)
union all
select 'occurrences without an end whose job has one', count(*) from pabal.occurrence o
where o.decision = 'enqueued' and o."end" is null and not exists (select from placed p where p.id = o.work_id)
union all
select 'units below none', count(*) from pabal.unit u
where u.parent_id is not null and not exists (select from pabal.unit p where p.id = u.parent_id);
