-- A campaign holds ad groups; an ad group says what is delivered when; creatives and inventory are what and where.

create table pabal.campaign (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  name text not null check (char_length(name) between 1 and 200),
  state text not null default 'open' check (state in ('planned', 'open', 'closed')),
  start_at timestamptz not null,
  end_at timestamptz check (end_at > start_at),
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index campaign_unit on pabal.campaign (unit_id, id);

-- Where ads are shown. Its code is what ad servers ask for.
create table pabal.inventory (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  code text not null unique check (code ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz not null
);
create index inventory_unit on pabal.inventory (unit_id, id);

create table pabal.ad_group (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  state text not null,
  version integer not null default 1,
  campaign_id bigint not null references pabal.campaign (id),
  name text not null check (char_length(name) between 1 and 200),
  -- the end is not included
  start_at timestamptz not null,
  end_at timestamptz not null,
  zone text not null default 'Asia/Seoul',
  -- null: all day, every day
  dayparts jsonb,
  -- boundaries of the day parts that somebody moved or took out
  moved jsonb not null default '[]',
  is_held boolean not null default false,
  -- rises with every change of what its delayed events depend on
  schedule_version integer not null default 1,
  -- how many it has: what the guards ask
  creatives integer not null default 0 check (creatives >= 0),
  inventories integer not null default 0 check (inventories >= 0),
  -- whose state is shown, and what the old calculator looks at
  source text not null default 'machine' check (source in ('machine', 'calculator')),
  ready_at timestamptz,
  ready_confirmed_at timestamptz,
  deleted_at timestamptz,
  legacy_id text unique,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint it_ends_after_it_starts check (end_at > start_at)
) with (fillfactor = 80);
create index ad_group_unit on pabal.ad_group (unit_id, id);
create index ad_group_campaign on pabal.ad_group (campaign_id, id);
create index ad_group_state on pabal.ad_group (state, id);

create table pabal.creative (
  id bigint generated always as identity primary key,
  -- always its ad group's
  unit_id bigint not null references pabal.unit (id),
  ad_group_id bigint not null references pabal.ad_group (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 200),
  url text not null check (char_length(url) between 1 and 2000),
  created_at timestamptz not null
);
create index creative_ad_group on pabal.creative (ad_group_id, id);

create table pabal.ad_group_inventory (
  ad_group_id bigint not null references pabal.ad_group (id) on delete cascade,
  inventory_id bigint not null references pabal.inventory (id),
  primary key (ad_group_id, inventory_id)
);
create index ad_group_inventory_inventory on pabal.ad_group_inventory (inventory_id, ad_group_id);
