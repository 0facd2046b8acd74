-- Browsers in which somebody signed in before: others' failures do not slow them. Of the cookie only the SHA-256 is stored.
create table pabal.known_device (
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  user_id bigint not null references pabal.user_account (id) on delete cascade,
  seen_at timestamptz not null
);
create index known_device_of_user on pabal.known_device (user_id, seen_at);
create index known_device_seen on pabal.known_device (seen_at);
