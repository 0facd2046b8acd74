-- What other systems said, each once: the row is written in the commit of its effect, so that it has no second one.
create table pabal.broker_event (
  seq bigint generated always as identity unique,
  -- the sender's; of what has none, its place in the stream
  id text primary key,
  name text not null,
  subject text not null,
  data jsonb,
  -- the beginning of what could not be read
  raw text,
  result text not null check (result in ('applied', 'refused', 'failed', 'retrying')),
  code text,
  reason text,
  report jsonb,
  tries integer not null default 1 check (tries >= 1),
  duplicates integer not null default 0 check (duplicates >= 0),
  at timestamptz not null,
  ended_at timestamptz not null,
  constraint what_was_not_applied_says_why check ((result = 'applied') = (code is null))
);
create index broker_event_result on pabal.broker_event (result, seq) where result <> 'applied';
create index broker_event_twice on pabal.broker_event (seq) where duplicates > 0;
create index broker_event_subject on pabal.broker_event (subject, seq);

-- Who publishes now: one server at a time, so that facts of one subject go out in order.
create table pabal.broker_turn (
  side text primary key,
  server text not null,
  until timestamptz not null
);

-- Each server's lines to the broker, as they were last heard of.
create table pabal.broker_line (
  server text not null,
  side text not null check (side in ('in', 'out')),
  seen_at timestamptz not null,
  failed_since timestamptz,
  error text,
  pending bigint,
  primary key (server, side),
  constraint a_failure_has_its_error check ((failed_since is null) = (error is null))
);
