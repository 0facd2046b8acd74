-- name: look()
select m.model, m.dimensions, m.made_extension, m.problem, m.tried_at, e.extversion as version,
  exists (select from pg_available_extensions where name = 'vector') as is_available,
  to_regclass('rules.recall_meaning') is not null as has_table
from rules.recall_model m left join pg_extension e on e.extname = 'vector';

-- name: lock()
select model from rules.recall_model for update;

-- name: make_extension#
create extension vector;

-- name: drop_extension#
drop extension vector;

-- name: drop_table#
drop table if exists rules.recall_meaning;

-- name: make_table#
-- 7 stands for the dimensions of the model. What is forgotten takes its meaning along, in the same commit.
create table rules.recall_meaning (
  case_id bigint primary key references rules.recall_case (id) on delete cascade,
  meaning vector(7) not null
);

-- name: make_index#
create index recall_meaning_near on rules.recall_meaning using hnsw (meaning vector_cosine_ops);

-- name: open_vectors()
-- For this transaction: the extension may lie in any schema. Cases out of sight are left out behind the index, which has to go on then; it
-- cannot before 0.8.
select set_config('search_path', current_setting('search_path') || ', ' || quote_ident(n.nspname), true),
  case when string_to_array(e.extversion, '.')::int[] >= '{0,8}' then set_config('hnsw.iterative_scan', 'strict_order', true) end
from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';

-- name: note_extension(made_extension, problem)!
update rules.recall_model set made_extension = made_extension or :made_extension, problem = :problem, tried_at = pabal.now();

-- name: note_model(model, dimensions)!
update rules.recall_model set model = :model, dimensions = :dimensions;

-- name: forget_all()!
update rules.recall_model set model = '', dimensions = 0, made_extension = false, problem = '', tried_at = null;

-- name: list_any(most)
select id, request from rules.recall_case order by id desc limit :most;

-- name: list_lacking(most)
select c.id, c.request from rules.recall_case c
where not exists (select from rules.recall_meaning m where m.case_id = c.id) order by c.id desc limit :most;

-- name: count_kept()
select count(*) from rules.recall_meaning;

-- name: count_cases()
select count(*) from rules.recall_case;

-- name: keep(id, numbers)!
-- a case that is being forgotten is waited for, and then is not there
with one as (select id from rules.recall_case where id = :id for key share)
insert into rules.recall_meaning (case_id, meaning) select id, :numbers::real[]::vector from one
on conflict (case_id) do update set meaning = excluded.meaning;

-- name: list_near(asked, kind, units, most)
select m.case_id as id, 1 - (m.meaning <=> :asked::real[]::vector) as likeness
from rules.recall_meaning m join rules.recall_case c on c.id = m.case_id
where c.standing <> 'banned' and c.kind = :kind and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
order by m.meaning <=> :asked::real[]::vector limit :most;

-- name: measure(asked, ids)
select case_id as id, 1 - (meaning <=> :asked::real[]::vector) as likeness from rules.recall_meaning where case_id = any(:ids::bigint[]);
