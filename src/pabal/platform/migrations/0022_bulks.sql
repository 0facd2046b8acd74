-- One verb on many rows: what was asked for, by whom, and what became of each row. The rows are fixed when it is made, so that
-- a filter means what it held at that moment.
create table pabal.bulk (
  id bigint primary key default pabal.new_id(),
  noun text not null,
  verb text not null,
  said jsonb not null default '{}',
  actor text not null,
  lang text not null check (lang in ('en', 'ko')),
  -- of a form that was shown once: sent twice it is one bulk
  request text,
  total integer not null check (total > 0),
  done integer not null default 0 check (done >= 0),
  refused integer not null default 0 check (refused >= 0),
  undoes bigint references pabal.bulk (id) on delete set null,
  made_at timestamptz not null,
  ended_at timestamptz,
  check (done + refused <= total),
  check ((ended_at is null) = (done + refused < total)),
  unique (actor, request),
  -- what was taken back is taken back once
  unique (undoes)
);
create index bulk_of_actor on pabal.bulk (actor, id desc);
create index bulk_made on pabal.bulk (made_at);

create table pabal.bulk_row (
  bulk_id bigint not null references pabal.bulk (id) on delete cascade,
  place integer not null,
  -- as REST names it
  key text not null,
  result text check (result in ('done', 'refused')),
  title text,
  code text,
  why text,
  primary key (bulk_id, place),
  unique (bulk_id, key),
  check ((code is null) = (result is distinct from 'refused'))
);
create index bulk_row_waiting on pabal.bulk_row (bulk_id, place) where result is null;
