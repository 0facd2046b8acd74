-- name: find_same(unit_id, request, answer)
-- unit: the one that the case is remembered for
-- by the index on digests; the texts themselves would be too long for one
select id from rules.recall_case
where unit_id = :unit_id and digest = md5(:request || e'\n' || :answer);

-- name: insert_case(unit_id, kind, request, answer, grams, created_by)
insert into rules.recall_case (unit_id, kind, request, answer, grams, digest, created_by)
values (:unit_id, :kind, :request, :answer, :grams::integer[], md5(:request || e'\n' || :answer), :created_by) returning id;

-- name: count_in(grams)!
-- in order: two who remember at once wait for each other, and neither for ever
insert into rules.recall_gram (gram, cases) select gram, 1 from unnest(:grams::integer[]) gram order by gram
on conflict (gram) do update set cases = recall_gram.cases + 1;

-- name: count_out(grams)!
with held as (select gram from rules.recall_gram where gram = any(:grams::integer[]) order by gram for update)
update rules.recall_gram g set cases = greatest(g.cases - 1, 0) from held where g.gram = held.gram;

-- name: delete_case(id)
-- its meaning, where there is one, goes by its foreign key
with gone as (delete from rules.recall_case where id = :id returning grams, plan_id),
noted as (
  insert into rules.recall_forgotten (plan_id) select plan_id from gone where plan_id is not null on conflict do nothing)
select grams from gone;

-- name: is_forgotten(plan_id)
select exists (select from rules.recall_forgotten where plan_id = :plan_id);

-- name: count_run(id, plan_id, is_good)!
update rules.recall_case set plan_id = coalesce(plan_id, :plan_id), succeeded = succeeded + :is_good::boolean::int,
  failed = failed + (not :is_good::boolean)::int, last_run_at = pabal.now()
where id = :id;

-- name: find_of_plan(plan_id)
select id from rules.recall_case where plan_id = :plan_id;

-- name: set_standing(id, standing)!
update rules.recall_case set standing = :standing where id = :id;

-- name: count_grams(grams)
select gram, cases from rules.recall_gram where gram = any(:grams::integer[]) and cases > 0;

-- name: list_nearest(known, rarest, grams, weights, kind, units, candidates, most)
-- The index gives those that have all of the request, and those that have one of its rarest pairs. Only they are weighed, never more than so
-- many of each: a request of common words alone would otherwise weigh every case.
with near as materialized (
  (select id from rules.recall_case
   where grams @> :known::integer[] and standing <> 'banned' and kind = :kind and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
   limit :candidates)
  union
  (select id from rules.recall_case
   where grams && :rarest::integer[] and standing <> 'banned' and kind = :kind and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
   limit :candidates))
select c.id, s.shared, t.trust from near join rules.recall_case c on c.id = near.id cross join lateral (
  select coalesce(sum(w.weight), 0) as shared from unnest(:grams::integer[], :weights::float8[]) w (gram, weight)
  where w.gram = any(c.grams)) s
cross join lateral (select (c.succeeded + 1.0::float8) / (c.succeeded + c.failed + 1) as trust) t
order by c.standing = 'pinned' desc, s.shared * t.trust desc, abs(cardinality(c.grams) - cardinality(:grams::integer[])), c.id desc
limit :most;

-- name: load_cases(ids)
select id, unit_id, kind, request, answer, standing, plan_id, succeeded, failed, last_run_at, created_at, created_by
from rules.recall_case where id = any(:ids::bigint[]) order by id;

-- name: hold_case(id)
select id, unit_id, kind, request, answer, standing, plan_id, succeeded, failed, last_run_at, created_at, created_by
from rules.recall_case where id = :id for no key update;

-- name: list_cases(units, kinds, standings, q, before, most)
select id, unit_id, kind, request, answer, standing, plan_id, succeeded, failed, last_run_at, created_at, created_by from rules.recall_case
where id < :before and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:kinds::text[] is null or kind = any(:kinds::text[]))
  and (:standings::text[] is null or standing = any(:standings::text[]))
  and (:q::text is null or strpos(lower(request), lower(:q)) > 0)
order by id desc limit :most;
