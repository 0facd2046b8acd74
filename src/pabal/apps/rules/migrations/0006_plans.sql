-- Plans: what somebody asked for in words, the workflow that was proposed for it, and what people decided.
create table rules.plan (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  state text not null default 'drafting' check (
    state in ('drafting', 'proposed', 'approved', 'rejected', 'failed', 'withdrawn', 'expired')
  ),
  version integer not null default 1,
  request text not null check (char_length(request) between 1 and 2000),
  door text not null check (door in ('console', 'cli', 'rest', 'telegram')),
  asked_by text not null,
  -- who wrote the workflow: a language model, or whoever proposed or edited it
  written_by text not null default '',
  -- the workflow as it would be saved; empty until there is one that the checker takes
  yaml text not null default '' check (char_length(yaml) <= 200000),
  -- area:right of all that it does; whoever approves it must have them
  rights text[] not null default '{}',
  -- reckoned before anything runs: steps, waits, calls, effects
  cost jsonb not null default '{}',
  -- the cases that the language model was shown: their number, their score, the words they share
  examples jsonb not null default '[]',
  -- what somebody wants otherwise this time
  remark text not null default '' check (char_length(remark) <= 1000),
  -- why it failed
  problem text not null default '',
  -- counts how often it was drafted; work of an earlier draft does nothing
  draft integer not null default 1,
  draft_at timestamptz not null default pabal.now(),
  decided_by text,
  workflow_id bigint,
  run_id bigint,
  created_at timestamptz not null default pabal.now()
) with (fillfactor = 70);
create index plan_unit on rules.plan (unit_id, id);
create index plan_asker on rules.plan (asked_by, id);
create index plan_approved on rules.plan (unit_id, id) where state = 'approved';
create index plan_run on rules.plan (run_id) where run_id is not null;

-- What a language model answered, each time it was asked: what it cost, and what was wrong with it.
create table rules.plan_answer (
  plan_id bigint not null references rules.plan (id) on delete cascade,
  number integer not null,
  draft integer not null,
  model text not null,
  tokens_in integer not null,
  tokens_out integer not null,
  cost numeric(14, 6) not null,
  is_estimated boolean not null,
  answer text not null,
  -- the checker's own sentences
  mistakes text[] not null default '{}',
  at timestamptz not null,
  primary key (plan_id, number)
);
create index plan_answer_at on rules.plan_answer (at);

-- A workflow is no example for a script, nor a script for a workflow.
alter table rules.recall_case add column kind text not null default 'script' check (kind in ('script', 'plan'));
