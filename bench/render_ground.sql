-- name: list_renders()
select r.id, r.state, a.worker_id::text as slot, extract(epoch from r.created_at)::float8 as created_at,
  extract(epoch from a.began_at)::float8 as claimed_at, extract(epoch from r.completed_at)::float8 as completed_at
from rendering.render r join rendering.attempt a on a.render_id = r.id and a.number = r.attempt order by r.id;

-- name: count_open()
select count(*) from rendering.render where state not in ('completed', 'failed', 'cancelled');
