-- name: make_taken()!
create table taken (n bigint generated always as identity, consumer text, id text, at_backend int default pg_backend_pid());

-- name: take(consumer, ids)!
insert into taken (consumer, id) select :consumer, i from unnest(:ids::text[]) as i;

-- name: list_taken(consumer)
select id from taken where consumer = :consumer order by n;

-- name: count_done(consumer)
select count(*) from pabal.event_done where consumer = :consumer;

-- name: list_ids()
select id from pabal.event;

-- name: fill_events(rows)!
with made as (
  insert into pabal.event (id, name, key, slot, unit_id, source, at, data)
  select 'e-' || n, 'orders.paid', '', n % 64, 1, 'test', pabal.now(), '{}' from generate_series(1, :rows::int) as n returning seq),
done as (insert into pabal.event_done (consumer, event_seq) select 'billing', seq from made)
select 1;

-- name: analyze()!
analyze pabal.event, pabal.event_done, pabal.event_place, pabal.dead_letter;

-- name: count_holders()
-- who holds a consumer's share, in whichever process
select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database());
