-- name: create_seen#
create schema if not exists example;
create table example.seen (n bigint generated always as identity, subscriber text not null, seq bigint not null, name text not null,
  subject text not null, data jsonb not null);

-- name: insert_seen(subscriber, seqs, names, subjects, datas)!
insert into example.seen (subscriber, seq, name, subject, data)
select :subscriber::text, s.seq, s.name, s.subject, s.data::jsonb
from unnest(:seqs::bigint[], :names::text[], :subjects::text[], :datas::text[]) as s(seq, name, subject, data);

-- name: list_seen(subscriber)
select seq, name, subject, data from example.seen where subscriber = :subscriber order by n;

-- name: find_cursor(subscriber)
select seen::text, upto::text, seq, xmin::text as written_by from pabal.subscription where name = :subscriber;

-- name: fail()!
select 1 / 0;
