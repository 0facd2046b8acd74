-- Addresses that jobs elsewhere report to, and what they reported. Independent of the app's other tables.
create schema if not exists rules;

create table rules.heartbeat (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  -- what its address ends with: whoever knows it may report
  key uuid not null unique default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 100),
  -- when a report is expected: a cron expression in a zone, or so many seconds after the last
  cron text check (char_length(cron) <= 200),
  every_seconds integer check (every_seconds between 60 and 31536000),
  zone text not null,
  grace_seconds integer not null check (grace_seconds between 60 and 2592000),
  state text not null default 'new' check (state in ('new', 'up', 'late', 'down', 'paused')),
  version integer not null default 1,
  -- the last success or failure; while it is null nothing is expected
  reported_at timestamptz,
  -- it said that it began, and has not said how it ended
  started_at timestamptz,
  -- when the next report is expected
  due_at timestamptz,
  created_at timestamptz not null default pabal.now(),
  constraint a_heartbeat_has_one_schedule check ((cron is null) <> (every_seconds is null))
) with (fillfactor = 70);
create index heartbeat_unit on rules.heartbeat (unit_id, id);
create index heartbeat_down on rules.heartbeat (id) where state = 'down';

-- What was reported, the newest hundred of each.
create table rules.heartbeat_report (
  id bigint generated always as identity primary key,
  heartbeat_id bigint not null references rules.heartbeat (id) on delete cascade,
  kind text not null check (kind in ('success', 'start', 'fail', 'log')),
  at timestamptz not null,
  -- since it said that it began
  took interval,
  exit_code smallint check (exit_code between 0 and 255),
  origin text not null,
  body text not null default '' check (char_length(body) <= 10000)
);
create index heartbeat_report_newest on rules.heartbeat_report (heartbeat_id, id desc);
