-- Which function of its script a rule runs, whether the repository is fetched before, and what the script may reach besides its own folder.
alter table rules.rule
  add column script_function text check (char_length(script_function) between 1 and 200),
  add column fetch_before_run boolean not null default false,
  add column allow_network boolean not null default false,
  add column read_folders jsonb not null default '[]',
  add column write_folders jsonb not null default '[]',
  -- how long its files are kept; null: as long as the setting says
  add column artifact_days integer check (artifact_days between 1 and 3650);
-- Files go at their own time. `artifacts_until`: when; null: with their run. `artifacts_gone`: how many have gone.
alter table rules.run
  add column artifacts_until timestamptz,
  add column artifacts_gone integer not null default 0;
create index run_artifacts on rules.run (artifacts_until) where artifacts_until is not null;
-- the file of the same name that a run before made is looked for by its rule
create index run_with_artifacts on rules.run (rule_id, id) where artifacts <> '[]';
-- What the daily cleaning deleted, for each unit and day.
create table rules.cleaning (
  unit_id bigint not null references pabal.unit (id) on delete cascade,
  cleaned_on date not null,
  cleaned_at timestamptz not null,
  runs integer not null default 0,
  files integer not null default 0,
  primary key (unit_id, cleaned_on)
);
