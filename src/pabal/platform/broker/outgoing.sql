-- name: lock_turn(name)
-- not a row lock: that would give this transaction an xid before it reads, and its own facts would count as seen
select pg_try_advisory_xact_lock(hashtextextended('pabal.broker ' || :name::text, 0));

-- name: find_cursor(name)
select seen::text, upto::text, seq from pabal.subscription where name = :name;

-- name: start_cursor(name)!
-- a subscription like others: facts are kept until it has seen them, and a restore renews it
insert into pabal.subscription (name, seen) values (:name, pg_current_snapshot()) on conflict do nothing;

-- name: move_cursor(name, seen, upto, seq, server)!
-- only while it is our turn: who lost it may be late by any time
update pabal.subscription set seen = :seen::text::pg_snapshot, upto = :upto::text::pg_snapshot, seq = :seq
where name = :name and exists (select from pabal.broker_turn t where t.side = 'out' and t.server = :server);

-- name: drop_cursor(name)!
delete from pabal.subscription where name = :name;

-- name: take_turn(server, until)
insert into pabal.broker_turn as t (side, server, until) values ('out', :server, :until)
on conflict (side) do update set server = excluded.server, until = excluded.until
where t.server = excluded.server or t.until <= pabal.now()
returning server;

-- name: leave_turn(server)!
delete from pabal.broker_turn where side = 'out' and server = :server;
