-- Lanes with several holders. An ordered lane has one and goes by ids; a shared one has as many as its width and goes by priority first.

-- how many of a lane's jobs may be ready or running at once
create table pabal.lane_width (
  name text primary key,             -- a lane, or what stands before the colon in the names of many
  declared int check (declared >= 1 and declared <= 1000),
  chosen int check (chosen >= 0 and chosen <= 1000),
  width int not null generated always as (coalesce(chosen, declared)) stored
);

-- whose turn it is; nobody's: free, being advanced
alter table pabal.lane add column holders bigint[] not null default '{}';
update pabal.lane set holders = array[holder] where holder <> 0;
alter table pabal.lane drop column holder;

-- whom a shared lane lets go first; 0 for everybody in an ordered one
alter table pabal.waiting add column rank smallint not null default 0;
alter table pabal.waiting drop constraint waiting_pkey, add primary key (lane, rank, id);

-- what a server must have to run a schedule's jobs
alter table pabal.schedule add column label text;
