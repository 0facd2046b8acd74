-- name: install()
create table message (
  id bigint generated always as identity primary key, uid uuid not null unique default gen_random_uuid(), account text not null,
  conversation text not null, text text not null, callback_url text not null, state text not null default 'queued',
  created_at timestamptz not null default now(), acked_at timestamptz);
create index message_queued on message (account, id) where state = 'queued';

-- name: insert()
with made as (
  insert into message (account, conversation, text, callback_url) values ($1, $2, $3, $4) returning uid)
select pg_notify('bare', json_build_object('uid', uid, 'account', $1, 'text', $3)::text) from made;

-- name: take()
update message set state = 'delivered' where uid = $1 returning callback_url;

-- name: ack()
update message set state = 'acked', acked_at = now() where uid = $1;

-- name: insert_plain()
insert into message (account, conversation, text, callback_url) values ($1, $2, $3, $4);

-- name: poll()
select uid, text from message where account = $1 and state = 'queued' order by created_at limit $2 for update skip locked;

-- name: deliver()
update message set state = 'delivered' where uid = any($1::uuid[]);

-- name: find()
select callback_url from message where uid = $1;
