-- name: list_columns(table)
select column_name, data_type, is_nullable, column_default from information_schema.columns
where table_schema = 'relay' and table_name = :table;

-- name: list_indexes(table)
select indexdef from pg_indexes where schemaname = 'relay' and tablename = :table;

-- name: list_references()
select f.relname as from_table, a.attname as column_name, t.relname as to_table
from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
join pg_namespace n on n.oid = f.relnamespace join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
where c.contype = 'f' and n.nspname = 'relay';

-- name: dump_accounts()
select string_agg(to_jsonb(a)::text, '') from relay.account a;

-- name: dump_rest()
select concat((select string_agg(to_jsonb(u)::text, '') from relay.account_use u), (select string_agg(to_jsonb(a)::text, '') from pabal.audit a),
  (select string_agg(to_jsonb(f)::text, '') from pabal.fact f), (select string_agg(to_jsonb(n)::text, '') from pabal.notification n),
  (select string_agg(to_jsonb(c)::text, '') from relay.conversation c), (select string_agg(to_jsonb(p)::text, '') from relay.pairing_code p));
