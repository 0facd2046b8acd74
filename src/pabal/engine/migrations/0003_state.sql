-- State: a transition is a row; a subject's timers are exactly those its state declares.
create table pabal.transition (
  machine text not null, subject bigint not null, version bigint not null check (version >= 1),
  event text not null, source text, target text not null,
  actor text not null, reason text, cause text, unit_id bigint, at timestamptz not null,
  primary key (machine, subject, version),
  constraint only_the_first_has_no_source check ((version = 1) = (source is null))
);
create index transition_at on pabal.transition (machine, at);

create table pabal.timer (
  machine text not null, subject bigint not null, event text not null, due_at timestamptz not null,
  tries smallint not null default 0, error text,
  primary key (machine, subject, event)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- the subject too: 100,000 timers of one moment must not be sorted for each batch
create index timer_due on pabal.timer (machine, due_at, subject);
