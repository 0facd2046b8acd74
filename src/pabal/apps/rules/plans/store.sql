-- name: insert_plan(unit_id, request, door, asked_by, model)
insert into rules.plan (unit_id, request, door, asked_by, model, draft_at)
values (:unit_id, :request, :door, :asked_by, :model, pabal.now()) returning id;

-- name: load_plans(ids)
select id, unit_id, state, version, request, door, asked_by, written_by, yaml, rights, cost, examples, remark, problem, draft, draft_at,
  decided_by, workflow_id, run_id, model, created_at
from rules.plan where id = any(:ids::bigint[]) order by id;

-- name: hold_plan(id)
select id, unit_id, state, version, request, door, asked_by, written_by, yaml, rights, cost, examples, remark, problem, draft, draft_at,
  decided_by, workflow_id, run_id, model, created_at
from rules.plan where id = :id for no key update;

-- name: list_plans(units, states, q, asked_by, before, most)
select id, unit_id, state, version, request, door, asked_by, written_by, yaml, rights, cost, examples, remark, problem, draft, draft_at,
  decided_by, workflow_id, run_id, model, created_at
from rules.plan
where id < :before and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:states::text[] is null or state = any(:states::text[]))
  and (:asked_by::text is null or asked_by = :asked_by)
  and (:q::text is null or strpos(lower(request), lower(:q)) > 0)
order by id desc limit :most;

-- name: count_open(asked_by)
select count(*) from rules.plan where asked_by = :asked_by and state in ('drafting', 'proposed');

-- name: keep_workflow(id, yaml, rights, cost, written_by)!
update rules.plan set yaml = :yaml, rights = :rights::text[], cost = :cost::jsonb, written_by = :written_by, problem = '' where id = :id;

-- name: keep_examples(id, examples)!
update rules.plan set examples = :examples::jsonb where id = :id;

-- name: keep_problem(id, problem)!
update rules.plan set problem = :problem where id = :id;

-- name: begin_draft(id, remark, model)!
-- what was proposed before stays to be seen until there is something newer; no model: the one that was chosen before
update rules.plan set draft = draft + 1, draft_at = pabal.now(), remark = :remark, problem = '', decided_by = null,
  model = coalesce(nullif(:model::text, ''), model)
where id = :id;

-- name: keep_decision(id, decided_by)!
update rules.plan set decided_by = :decided_by where id = :id;

-- name: keep_start(id, workflow_id, run_id)!
update rules.plan set workflow_id = :workflow_id, run_id = :run_id where id = :id;

-- name: list_approved(units, but, most)
select id, unit_id, state, version, request, door, asked_by, written_by, yaml, rights, cost, examples, remark, problem, draft, draft_at,
  decided_by, workflow_id, run_id, model, created_at
from rules.plan
where state = 'approved' and id <> :but and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by id desc limit :most;

-- name: find_of_workflows(workflows)
-- unit: a run's own, whoever looks
select id, unit_id, state, version, request, door, asked_by, written_by, yaml, rights, cost, examples, remark, problem, draft, draft_at,
  decided_by, workflow_id, run_id, model, created_at
from rules.plan where workflow_id = any(:workflows::bigint[]) order by id;

-- name: find_meaning(id, draft)
select model, meaning, problem from rules.plan_meaning where plan_id = :id and draft = :draft;

-- name: keep_meaning(id, draft, model, meaning, problem)!
insert into rules.plan_meaning (plan_id, draft, model, meaning, problem)
values (:id, :draft, :model, :meaning::real[], :problem)
on conflict (plan_id) do update set draft = excluded.draft, model = excluded.model, meaning = excluded.meaning, problem = excluded.problem;

-- name: insert_answer(plan_id, draft, model, tokens_in, tokens_out, cost, is_estimated, answer, mistakes)!
insert into rules.plan_answer (plan_id, number, draft, model, tokens_in, tokens_out, cost, is_estimated, answer, mistakes, at)
select :plan_id, 1 + coalesce(max(number), 0), :draft, :model, :tokens_in, :tokens_out, :cost::numeric, :is_estimated, :answer,
  :mistakes::text[], pabal.now()
from rules.plan_answer where plan_id = :plan_id;

-- name: list_answers(plans)
select plan_id, number, draft, model, tokens_in, tokens_out, cost, is_estimated, answer, mistakes, at
from rules.plan_answer where plan_id = any(:plans::bigint[]) order by plan_id, number;

-- name: sum_models(units, since)
select a.model, count(distinct a.plan_id) as plans, count(*) as answers, sum(a.tokens_in) as tokens_in,
  sum(a.tokens_out) as tokens_out, sum(a.cost) as cost, bool_or(a.is_estimated) as is_estimated
from rules.plan_answer a join rules.plan p on p.id = a.plan_id
where a.at >= :since and (:units::bigint[] is null or p.unit_id = any(:units::bigint[]))
group by a.model order by sum(a.cost) desc, a.model;

-- name: delete_old(before, most)
-- approved ones stay: others are compared with them
delete from rules.plan where id in (
  select id from rules.plan where state in ('rejected', 'failed', 'withdrawn', 'expired') and draft_at < :before order by id limit :most)
returning id;
