-- What waits for a person's yes or no, of every app. It points to a subject of the app's machine, whose state stays the truth;
-- who decided, when and why is in the transitions. Apps open requests for what waits already in migrations of their own.
create table pabal.approval (
  id bigint primary key default pabal.new_id(),
  -- it outlives its unit: what was decided stays with the head office
  unit_id bigint references pabal.unit (id) on delete set null,
  kind text not null,
  state text not null default 'open' check (state in ('open', 'approved', 'rejected', 'withdrawn', 'expired')),
  version bigint not null default 1,
  machine text not null,
  subject bigint not null,
  -- what decisions before must share with it to be shown beside it
  alike text not null default '',
  -- what was shown; another question about the same subject is another request
  seen text not null default '',
  needed smallint not null default 1 check (needed in (1, 2)),
  requested_by text not null,
  deadline_at timestamptz,
  opened_at timestamptz not null
);
create unique index one_open_approval on pabal.approval (kind, subject) where state = 'open';
create index approval_open on pabal.approval (id) where state = 'open';
create index approval_unit on pabal.approval (unit_id, id);
create index approval_state on pabal.approval (state, id);
create index approval_alike on pabal.approval (kind, alike, id) where state in ('approved', 'rejected');

-- Who said yes where two people must.
create table pabal.approval_voice (
  approval_id bigint not null references pabal.approval (id) on delete cascade,
  actor text not null,
  reason text,
  at timestamptz not null,
  primary key (approval_id, actor)
);
