-- What ad servers read from Redis: whether anybody wants it, how it stands, and what each check found.

create table pabal.serving (
  is_only boolean primary key default true check (is_only),
  -- a server that runs work has the address of their Redis
  is_wanted boolean not null default false,
  -- counts readings of what is to be written: a later one is never written over by an earlier one
  fence bigint not null default 0,
  refreshed_at timestamptz,
  rebuilt_at timestamptz,
  -- since when Redis does not answer, and what it or the network said
  away_since timestamptz,
  away_error text,
  constraint it_says_why_it_is_away check ((away_since is null) = (away_error is null))
) with (fillfactor = 20);
insert into pabal.serving default values;

create table pabal.serving_check (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  took_ms integer not null,
  asked_by text not null,
  compared integer not null,
  -- how many of each kind: missing, stale, not_running, unknown, wrong_inventory
  differences jsonb not null,
  mended integer not null,
  error text
);
create index serving_check_at on pabal.serving_check (at);
