-- A case counts the runs of the plan it came of: what fails goes behind what does not.
alter table rules.recall_case
  add column plan_id bigint references rules.plan (id) on delete set null,
  add column succeeded integer not null default 0 check (succeeded >= 0),
  add column failed integer not null default 0 check (failed >= 0),
  add column last_run_at timestamptz;
create unique index recall_case_plan on rules.recall_case (plan_id) where plan_id is not null;
update rules.recall_case c set plan_id = p.id, succeeded = 1, last_run_at = c.created_at
from rules.plan p where c.kind = 'plan' and c.created_by = 'plan:' || p.id;

-- Somebody let the case of this plan be forgotten: later runs do not bring it back.
create table rules.recall_forgotten (plan_id bigint primary key references rules.plan (id) on delete cascade);

-- the language model its asker chose; empty: the one of the settings
alter table rules.plan add column model text not null default '' check (char_length(model) <= 200);
create index plan_workflow on rules.plan (workflow_id) where workflow_id is not null;

-- What the request of a draft means to a model of meanings, asked once for each draft. Plain numbers: this table needs no extension.
create table rules.plan_meaning (
  plan_id bigint primary key references rules.plan (id) on delete cascade,
  draft integer not null,
  model text not null,
  -- null: it did not answer, and why
  meaning real[],
  problem text not null default '',
  constraint either_it_answered_or_it_says_why check ((meaning is null) = (problem <> ''))
);

-- Whose meanings rules.recall_meaning holds. That table needs the extension `vector` and the number of dimensions of a model, so it is made
-- when there are both, and is in no migration.
create table rules.recall_model (
  is_only boolean primary key default true check (is_only),
  model text not null default '',
  dimensions integer not null default 0,
  -- whether the extension is ours to take away again
  made_extension boolean not null default false,
  -- why the extension could not be made, and when that was tried
  problem text not null default '',
  tried_at timestamptz
);
insert into rules.recall_model default values;
