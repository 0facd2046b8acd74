-- name: count_pending()
select r.unit_id, count(*)::float as value from rendering.render r where r.state = 'pending' group by r.unit_id;

-- name: read_pending(now)
-- all that waits, however old, and how long the oldest has
select count(*)::int as count, extract(epoch from :now::timestamptz - min(created_at))::float as oldest_seconds
from rendering.render where state = 'pending';

-- name: read_average(since, most)
-- over a sub-select: a limit behind an average does nothing
select avg(duration_seconds)::float from (
  select duration_seconds from rendering.render where state = 'completed' and updated_at >= :since order by updated_at desc limit :most) last;

-- name: read_success(since)
select count(*) filter (where state = 'completed')::int as completed, count(*) filter (where state = 'failed')::int as failed
from rendering.render where state in ('completed', 'failed') and updated_at >= :since;

-- name: count_active(alive_since)
select count(*)::int as alive, (select count(*) from rendering.slot)::int as known from rendering.slot where beat_at > :alive_since;

-- name: read_latency(since)
select max(nexrender_latency_ms)::float from rendering.slot where nexrender_seen_at > :since;

-- name: count_away(since)
select count(distinct nexrender_url)::float from rendering.slot where nexrender_seen_at > :since and nexrender_ok = false;

-- name: read_copies(since)
select max(extract(epoch from t.ended_at - t.began_at))::float from rendering.stage_time t where t.stage = 'copy' and t.ended_at > :since;

-- name: count_slow(before)
select r.unit_id, count(*)::float as value from rendering.render r
where r.state in ('rendering', 'encoding') and r.nexrender_started_at < :before group by r.unit_id;

-- name: count_unbegun(before)
select r.unit_id, count(*)::float as value from rendering.render r
where r.state = 'rendering' and r.stage = 'queue' and r.stage_began_at < :before group by r.unit_id;

-- name: count_poisoned(since)
select r.unit_id, count(*)::float as value from rendering.render r
where r.state = 'failed' and r.error_code = 'poison_job' and r.updated_at >= :since group by r.unit_id;
