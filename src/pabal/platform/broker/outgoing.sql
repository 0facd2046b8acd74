-- name: take_turn(server, until)
insert into pabal.broker_turn as t (side, server, until) values ('out', :server, :until)
on conflict (side) do update set server = excluded.server, until = excluded.until
where t.server = excluded.server or t.until <= pabal.now()
returning server;

-- name: hold_turn(server)
-- nobody takes it over until the end of this transaction
select server from pabal.broker_turn where side = 'out' and server = :server for update;

-- name: leave_turn(server)!
delete from pabal.broker_turn where side = 'out' and server = :server;
