-- Which event started which workflow, or why not: one run for an event, however often it is handed out.
create table pabal.workflow_start (
  workflow_id bigint not null references pabal.workflow on delete cascade,
  event_seq bigint not null,
  event_name text not null,
  event_id text not null,
  run_id bigint,
  -- why nothing was started
  code text,
  reason text,
  at timestamptz not null,
  primary key (workflow_id, event_seq),
  constraint it_started_or_says_why check ((run_id is null) = (code is not null))
);
create index workflow_start_at on pabal.workflow_start (at);

-- How many runs were deleted on which day, for those who wonder where they are.
create table pabal.workflow_cleaning (
  unit_id bigint,
  seen_by text not null,
  cleaned_on date not null,
  cleaned_at timestamptz not null,
  runs integer not null,
  unique nulls not distinct (unit_id, seen_by, cleaned_on)
);
