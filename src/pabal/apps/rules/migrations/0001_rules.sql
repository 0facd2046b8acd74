-- Rules are what runs by itself; runs are what became of each time. The requirement's names (rules, rule_executions) are those of REST, the
-- command line and exports.
create schema rules;

create table rules.rule (
  id bigint primary key default pabal.new_id(),
  -- what people and programs know it by
  uid uuid not null unique default gen_random_uuid(),
  unit_id bigint not null references pabal.unit (id),
  name text not null check (char_length(name) between 1 and 200),
  state text not null default 'active' check (state in ('active', 'paused', 'deleted')),
  version integer not null default 1,
  schedule text not null check (char_length(schedule) between 1 and 200),
  zone text not null,
  payload jsonb not null default '{}',
  execution_script_path text check (char_length(execution_script_path) between 1 and 500),
  source text,
  condition jsonb,
  on_success jsonb not null default '[]',
  on_failure jsonb not null default '[]',
  misfire text not null default 'run_once' check (misfire in ('run_once', 'skip', 'run_all')),
  misfire_max integer,
  overlap text not null default 'skip' check (overlap in ('skip', 'queue', 'allow', 'cancel_previous')),
  timeout_seconds integer not null default 300 check (timeout_seconds between 1 and 86400),
  max_attempts integer not null default 1 check (max_attempts between 1 and 100),
  retry_seconds integer not null default 60 check (retry_seconds between 1 and 86400),
  cooldown_seconds integer not null default 0 check (cooldown_seconds between 0 and 31536000),
  -- the engine's schedule; none before it is put and after its rule is deleted
  timetable_id bigint,
  -- the memory of the condition: what it said last, and when somebody was last told that it is met
  last_met boolean,
  told_at timestamptz,
  created_at timestamptz not null default pabal.now(),
  created_by text not null,
  updated_at timestamptz not null default pabal.now(),
  constraint a_rule_does_something check (execution_script_path is not null or source is not null)
);
create index rule_unit on rules.rule (unit_id, id);
create unique index rule_timetable on rules.rule (timetable_id) where timetable_id is not null;

create table rules.run (
  id bigint primary key default pabal.new_id(),
  uid uuid not null unique default gen_random_uuid(),
  rule_id bigint not null references rules.rule (id) on delete cascade,
  unit_id bigint not null references pabal.unit (id),
  state text not null default 'running' check (state in ('running', 'success', 'failure')),
  version integer not null default 1,
  reason text,
  trigger text not null check (trigger in ('schedule', 'manual', 'dry_run')),
  is_dry boolean not null default false,
  -- the moment it stands for
  scheduled_at timestamptz not null,
  executed_at timestamptz not null default pabal.now(),
  finished_at timestamptz,
  exit_code integer,
  attempt integer not null default 1,
  commit text,
  is_dirty boolean not null default false,
  log_summary text not null default '',
  log text not null default '',
  artifact_path text,
  data jsonb,
  met boolean,
  checks jsonb not null default '[]',
  -- what it sent; of a dry run, what it would have sent
  captured jsonb not null default '[]',
  tokens integer not null default 0,
  cost double precision not null default 0,
  -- how many moments it stands for: more than one where they were missed together
  count integer not null default 1,
  work_id bigint,
  requested_by text,
  -- a moment of a rule has one run, whoever looks at it how often
  unique (rule_id, scheduled_at),
  constraint what_ended_says_when check (state = 'running' or finished_at is not null)
) with (fillfactor = 70);
create index run_unit on rules.run (unit_id, id);
create index run_rule on rules.run (rule_id, id);
create index run_ended on rules.run (finished_at) where finished_at is not null;
