-- name: list_contents()
-- What neither PostgreSQL nor an extension brought. Three names are enough to tell a person what is in the way.
with brought as (select classid, objid from pg_depend where deptype = 'e'),
space as (
  select oid, nspname from pg_namespace
  where nspname !~ '^pg_' and nspname <> 'information_schema'
    and not exists (select from brought where classid = 'pg_namespace'::regclass and objid = pg_namespace.oid))
select nspname from space where nspname <> 'public'
union all
select nspname || '.' || relname from pg_class join space on space.oid = relnamespace
where not exists (select from brought where classid = 'pg_class'::regclass and objid = pg_class.oid)
union all
select nspname || '.' || proname || '()' from pg_proc join space on space.oid = pronamespace
where not exists (select from brought where classid = 'pg_proc'::regclass and objid = pg_proc.oid)
limit 3;

-- name: drop_contents#
-- A dump holds no `create schema public`, so it is made again as PostgreSQL makes it.
do $$
declare
  doomed text;
begin
  set local lock_timeout = '30s';
  for doomed in
    select nspname from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
      and not exists (select from pg_depend
                      where deptype = 'e' and classid = 'pg_namespace'::regclass and objid = pg_namespace.oid)
  loop
    execute format('drop schema %I cascade', doomed);
  end loop;
  create schema public;
  alter schema public owner to pg_database_owner;
  grant usage on schema public to public;
  comment on schema public is 'standard public schema';
end
$$;
