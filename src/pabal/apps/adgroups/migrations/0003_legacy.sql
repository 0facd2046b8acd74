-- From calculated to stored: whose state is shown, where both ways differ, and how old ad groups were brought over.

-- USE_SSM_STATUS. What it comes to for each ad group is kept in its `source`, in the commit that changes a flag.
create table pabal.state_flag (
  kind text not null check (kind in ('id', 'campaign', 'percent', 'new')),
  -- which ad group, which campaign, how many of a hundred; 0 for new
  value bigint not null check (value >= 0 and (kind <> 'percent' or value <= 100) and (kind <> 'new' or value = 0)),
  is_on boolean not null default true,
  -- null: the whole house
  unit_id bigint references pabal.unit (id),
  set_by text not null,
  set_at timestamptz not null,
  primary key (kind, value)
);
create unique index state_flag_of_house on pabal.state_flag (kind) where kind in ('percent', 'new');

create table pabal.mismatch (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  ad_group_id bigint not null references pabal.ad_group (id) on delete cascade,
  calculated text not null,
  stored text not null,
  cause text not null,
  since timestamptz not null,
  seen_at timestamptz not null,
  resolved_at timestamptz,
  -- whom somebody told us to believe
  decision text check (decision in ('machine', 'calculator')),
  decided_by text,
  decided_at timestamptz
);
create unique index mismatch_open on pabal.mismatch (ad_group_id) where resolved_at is null;
create index mismatch_unit on pabal.mismatch (unit_id, id);
create index mismatch_ad_group on pabal.mismatch (ad_group_id);
create index mismatch_resolved on pabal.mismatch (resolved_at) where resolved_at is not null;

-- One row: how far the comparing of all open ad groups has come.
create table pabal.shadow_pass (
  is_one boolean primary key default true check (is_one),
  after_id bigint not null default 0,
  compared bigint not null default 0,
  began_at timestamptz not null,
  finished_at timestamptz
);

create table pabal.legacy_run (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  state text not null check (state in ('planned', 'running', 'done', 'failed', 'rolling_back', 'rolled_back')),
  mode text check (mode in ('one_transaction', 'batches')),
  source text not null check (source in ('csv', 'table')),
  file_id bigint,
  plan_file_id bigint,
  report_file_id bigint,
  rows bigint not null default 0,
  -- all rows up to this one are done; going back, all from this one on are undone
  checkpoint bigint not null default 0,
  counts jsonb not null default '{}',
  states jsonb not null default '{}',
  marks jsonb not null default '{}',
  refusals jsonb not null default '{}',
  -- what it made beside ad groups
  campaigns bigint[] not null default '{}',
  inventories bigint[] not null default '{}',
  even_touched boolean not null default false,
  error text,
  created_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  rolled_back_at timestamptz
);
create index legacy_run_unit on pabal.legacy_run (unit_id, id);

create table pabal.legacy_row (
  run_id bigint not null references pabal.legacy_run (id) on delete cascade,
  n bigint not null,
  legacy_id text,
  name text,
  campaign text,
  start_at timestamptz,
  end_at timestamptz,
  ready_at timestamptz,
  ready_confirmed_at timestamptz,
  deleted_at timestamptz,
  old_status text,
  zone text,
  dayparts text,
  creatives text[] not null default '{}',
  inventory text[] not null default '{}',
  -- as the dry run found it; a run decides again, at its own moment
  calculated text,
  state text,
  marks text[] not null default '{}',
  refusal text,
  problem text,
  outcome text check (outcome in ('made', 'changed', 'same', 'refused', 'removed', 'restored', 'kept')),
  ad_group_id bigint,
  -- what it was before this run changed it
  before jsonb,
  done_at timestamptz,
  primary key (run_id, n)
) with (fillfactor = 75);
create index legacy_row_noted on pabal.legacy_row (run_id, n) where marks <> '{}' or refusal is not null;

-- Old ad groups name their campaign.
create index campaign_name on pabal.campaign (unit_id, name, id);
