-- name: set_clock(at)
-- in seconds, because days are not all as long in the zone of the session
update pabal.clock_shift set shift = make_interval(secs => extract(epoch from :at::timestamptz - clock_timestamp())::float8);
