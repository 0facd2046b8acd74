-- What was answered to a request with an Idempotency-Key, written in the commit of the change itself. Kept for a day.
create table pabal.idempotency (
  principal text not null,
  key text not null check (length(key) between 1 and 200),
  request bytea not null check (octet_length(request) = 32),   -- SHA-256 of method, path, query and body
  status smallint not null,
  headers jsonb not null,
  body text not null,                                          -- sealed: an answer may hold a secret that is shown once
  created_at timestamptz not null,
  primary key (principal, key)
);
create index idempotency_created on pabal.idempotency (created_at);
