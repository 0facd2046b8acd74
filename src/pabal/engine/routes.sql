-- name: hold_route(route, worker)
-- a new epoch each time, never used twice; the newest connection wins
insert into pabal.route (route, worker, epoch) values (:route, :worker, nextval('pabal.epoch_seq'))
on conflict (route) do update set worker = excluded.worker, epoch = excluded.epoch
returning epoch;

-- name: release_route(route, epoch)!
delete from pabal.route where route = :route and epoch = :epoch;

-- name: find_route(route)
select route, worker, epoch from pabal.route where route = :route;

-- name: list_routes(worker)
select route from pabal.route where worker = :worker;
