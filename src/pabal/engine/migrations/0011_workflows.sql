-- Workflows: what is declared, the runs of it, and where each step of a run is.
create table pabal.workflow (
  id bigint generated always as identity primary key,
  unit_id bigint,
  name text not null,
  newest int not null default 0,
  seen_by text not null,
  created_at timestamptz not null,
  archived_at timestamptz,
  unique nulls not distinct (unit_id, name)
);

-- Never changed: a run keeps the version it began with.
create table pabal.workflow_version (
  id bigint generated always as identity primary key,
  workflow_id bigint not null references pabal.workflow on delete cascade,
  number int not null,
  definition jsonb not null,
  kinds text[] not null,        -- what its steps are, so that no kind with open runs is removed
  made_by text not null,
  made_at timestamptz not null,
  unique (workflow_id, number)
);

create table pabal.workflow_run (
  id bigint generated always as identity primary key,
  unit_id bigint,
  workflow_id bigint not null references pabal.workflow,
  definition_id bigint not null references pabal.workflow_version,
  state text not null,
  version bigint not null default 1,
  owner text not null,
  input jsonb not null,
  output jsonb,
  parent_id bigint,             -- the run that waits for this one
  depth smallint not null default 0,
  again_of bigint,              -- the run whose input was changed
  cause text,
  ending text check (ending in ('failed', 'cancelled')),   -- what it becomes once nothing of it runs any more
  compensates boolean not null default false,
  reason text,
  opened int not null default 0,
  ended int not null default 0,
  bytes bigint not null default 0,
  started_at timestamptz not null,
  ends_by timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index workflow_run_of on pabal.workflow_run (workflow_id, id);
create index workflow_run_unit on pabal.workflow_run (unit_id, id) where unit_id is not null;
create index workflow_run_open on pabal.workflow_run (definition_id) where ended_at is null;
create index workflow_run_parent on pabal.workflow_run (parent_id) where parent_id is not null;
create index workflow_run_ended on pabal.workflow_run (ended_at) where ended_at is not null;

-- One row for each step that was opened, and for each item of a fan-out. `item` is -1 but for those; `undo` is its compensation.
-- `job` is the one that may write it: any other is too late.
create table pabal.workflow_step (
  run_id bigint not null,
  step smallint not null,
  item int not null,
  undo boolean not null,
  state text not null check (state in ('ready', 'running', 'waiting', 'retrying', 'done', 'failed', 'skipped', 'cancelled')),
  job bigint,
  attempt smallint not null default 0,
  failures smallint not null default 0,
  open_items int,               -- of a fan-out: how many are not over
  input jsonb,
  output jsonb,
  error jsonb,
  signal text,
  opened_at timestamptz not null,
  started_at timestamptz,
  due_at timestamptz,           -- when its waiting ends, or its time is over
  ended_at timestamptz,
  ended_no int,                 -- the order of ends in its run
  primary key (run_id, step, item, undo)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Who waits for a signal. Gone in the commit that sends it.
create table pabal.workflow_wait (
  signal text not null, run_id bigint not null, step smallint not null, item int not null, undo boolean not null,
  primary key (signal, run_id, step, item, undo)
);
create index workflow_wait_run on pabal.workflow_wait (run_id);

-- Signals to one run that came before it waited for them.
create table pabal.workflow_signal (
  id bigint generated always as identity primary key, run_id bigint not null, signal text not null, data jsonb not null, at timestamptz not null
);
create index workflow_signal_run on pabal.workflow_signal (run_id, signal, id);

-- What happened to steps besides their ends: failed attempts, what a person skipped or retried, and how a step was before.
create table pabal.workflow_note (
  id bigint generated always as identity primary key, run_id bigint not null, step smallint, item int, undo boolean,
  what text not null, actor text not null, data jsonb not null, at timestamptz not null
);
create index workflow_note_run on pabal.workflow_note (run_id, id);

-- The schemas of every kind of step that was ever here: they only grow.
create table pabal.workflow_kind (
  name text not null, version int not null, input jsonb not null, output jsonb not null, effects text[] not null, primary key (name, version)
);
