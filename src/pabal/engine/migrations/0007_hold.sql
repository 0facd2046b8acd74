-- Of these attempts, those that still hold their lease, locked until the commit, each with the epoch of its route. For many that
-- write in one commit, and for applications that fence and write in one statement. Leases in the order of ids, so that two who want
-- the same ones cannot deadlock; routes before leases, as rescue locks them.
create function pabal.hold(ids bigint[], tokens bigint[], queues text[]) returns table (id bigint, token bigint, epoch bigint)
language plpgsql as $$
begin
  return query
  with mine as materialized (select r.route, r.epoch from pabal.route r where r.route = any(queues) order by r.route for share),
  given as materialized (
    select g.id, g.token, g.queue from (select count(*) from mine) m
    cross join unnest(ids, tokens, queues) as g(id, token, queue) where m.count >= 0 order by g.id)
  select l.id, l.token, (select m.epoch from mine m where m.route = g.queue) from given g cross join lateral (
    select l.id, l.token from pabal.lease l where l.id = g.id and l.token = g.token offset 0 for update) l;
end $$;
