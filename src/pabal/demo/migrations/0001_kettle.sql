create table pabal.demo_kettle (
  id bigint primary key, unit_id bigint, state text not null default 'cold', version bigint not null default 1
);
