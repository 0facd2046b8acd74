-- The one clock. Statements that decide anything by time call pabal.now(); tests and demo replace the bodies of
-- now() and moment() by a shifted one, so that every server moves together. Liveness alone is real.
create schema if not exists pabal;

-- stable, so that it can bound an index scan
create function pabal.now() returns timestamptz language sql stable parallel safe as 'select now()';

-- the moment of this very statement, for what must be read after a lock
create function pabal.moment() returns timestamptz language sql volatile parallel safe as 'select clock_timestamp()';

create function pabal.real_now() returns timestamptz language sql volatile parallel safe as 'select clock_timestamp()';
