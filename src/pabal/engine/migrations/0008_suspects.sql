-- Work that is done in batches leaves no trace when its server dies or its connection is lost: inside work, and facts for a subscriber.
-- Afterwards it is done one by one, each behind a committed marker, until as many went well as were in doubt.
create table pabal.suspect (
  name text primary key,             -- inside:kind or facts:subscriber
  doubts int not null check (doubts > 0),
  reason text not null,              -- what was lost
  -- the one that is being tried. Found by the next who looks, it stands for a try that was lost.
  tried bigint, token bigint,
  tries smallint not null default 0, -- how often the same fact was lost
  trying_since timestamptz,          -- when the database of that try had started: one that went away is nobody's failure
  constraint a_try_has_its_database check ((tried is null) = (trying_since is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100);
