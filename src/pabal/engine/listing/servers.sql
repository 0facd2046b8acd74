-- name: list_servers(ttl)
-- lives are measured on the real clock, never on the moved one
select w.id, w.host, w.started_at, w.meta, w.until > pabal.real_now() as is_alive, w.drain_at,
  (select count(*) from pabal.lease l where l.worker = w.id)::int as running,
  (select count(*) from pabal.route r where r.worker = w.id)::int as routes,
  extract(epoch from pabal.real_now() + :ttl::interval - w.until)::float8 as heard_seconds
from pabal.worker w order by w.id;
