-- People and programs, and the keys they hold. Of every key only the SHA-256 is stored.
create table pabal.user_account (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  login text not null unique check (login ~ '^[a-z0-9][a-z0-9._@+-]{1,59}$'),
  name text not null check (length(name) between 1 and 100),
  role text not null check (role in ('viewer', 'operator', 'admin')),
  language text check (language in ('ko', 'en')),
  zone text not null default 'Asia/Seoul',
  theme text check (theme in ('light', 'dark')),
  is_active boolean not null default true,
  is_demo boolean not null default false,
  -- an argon2 hash; none before the first sign-in by a link
  password text,
  must_change_password boolean not null default true,
  created_at timestamptz not null,
  signed_in_at timestamptz
);
create index user_account_unit on pabal.user_account (unit_id, login);

create table pabal.session (
  id bigint primary key default pabal.new_id(),
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  user_id bigint not null references pabal.user_account (id) on delete cascade,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  origin text not null,
  agent text not null
);
create index session_of_user on pabal.session (user_id, id);
create index session_expires on pabal.session (expires_at);

create table pabal.sign_in_link (
  id bigint primary key default pabal.new_id(),
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  user_id bigint not null references pabal.user_account (id) on delete cascade,
  issued_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
-- a new link replaces the one before it
create unique index sign_in_link_open on pabal.sign_in_link (user_id) where used_at is null;
create index sign_in_link_expires on pabal.sign_in_link (expires_at);

create table pabal.api_token (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  name text not null check (length(name) between 1 and 100),
  role text not null check (role in ('viewer', 'operator', 'admin')),
  scopes text[] not null check (cardinality(scopes) between 1 and 50),
  -- whose rights it was made with; it does not outlive them. None: made at the command line
  made_by bigint references pabal.user_account (id) on delete cascade,
  start text not null,
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  replaces bigint unique references pabal.api_token (id) on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint a_token_ends check (expires_at <= created_at + interval '9600 hours')
);
create index api_token_unit on pabal.api_token (unit_id, id);
create index api_token_maker on pabal.api_token (made_by) where made_by is not null;

-- Tries that failed or are not decided yet, by login and by address. The subject is hashed: people type passwords
-- into the wrong field.
create table pabal.sign_in_try (
  subject text primary key,
  tries timestamptz[] not null,
  last_at timestamptz not null
);
create index sign_in_try_last on pabal.sign_in_try (last_at);
