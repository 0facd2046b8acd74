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

-- name: list_priorities(routes)
-- those of which some route has a job
select p.priority from unnest(array[0, 1, 2, 3]::smallint[]) as p(priority) where exists (
  select from unnest(:routes::text[]) as g(route) cross join lateral (
    select from pabal.ready r where r.queue = g.route and r.priority = p.priority limit 1) r)
order by p.priority;
