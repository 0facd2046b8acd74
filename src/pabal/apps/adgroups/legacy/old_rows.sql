-- name: has_table()
select exists (select from pg_class where oid = to_regclass('legacy_ad_groups') and relkind = 'r');

-- name: list_columns()
select array_agg(attname::text) from pg_attribute where attrelid = to_regclass('legacy_ad_groups') and attnum > 0 and not attisdropped;

-- name: hold_table()!
lock table legacy_ad_groups in share mode;

-- name: count_pages()
select pg_relation_size(to_regclass('legacy_ad_groups')) / current_setting('block_size')::int;

-- name: read_pages(first, end)
-- by where they lie: old tables have no index we know of, and ids may come twice
select to_jsonb(t) as raw from legacy_ad_groups t
where t.ctid >= format('(%s,0)', :first::bigint)::tid and t.ctid < format('(%s,0)', :end::bigint)::tid order by t.ctid;
