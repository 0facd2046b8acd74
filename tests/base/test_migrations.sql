-- name: describe_schema()
select line from (
  select format('column %s.%s %s %s %s', c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default) as line
  from information_schema.columns c where c.table_schema = 'pabal'
  union all
  select format('index %s', indexdef) from pg_indexes where schemaname = 'pabal'
  union all
  select format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
  where connamespace = 'pabal'::regnamespace
  union all
  select format('function %s', pg_get_functiondef(p.oid)) from pg_proc p where p.pronamespace = 'pabal'::regnamespace
  union all
  select format('options %s %s', relname, reloptions) from pg_class where relnamespace = 'pabal'::regnamespace) lines
order by line;
