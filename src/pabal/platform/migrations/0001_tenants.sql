-- The tree of the organisation. What has an owner has a unit_id that points here.
create table pabal.unit (
  id bigint generated always as identity primary key,
  parent_id bigint references pabal.unit (id),
  level text not null check (level in ('hq', 'distributor', 'agency', 'branch')),
  name text not null check (length(name) between 1 and 100),
  is_demo boolean not null default false,
  created_at timestamptz not null,
  constraint only_the_hq_has_no_parent check ((level = 'hq') = (parent_id is null)),
  constraint a_name_among_neighbours unique (parent_id, name)
);
create unique index unit_hq on pabal.unit (level) where level = 'hq';
