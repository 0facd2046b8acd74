create schema desk;
create table desk.ticket (
  id bigint generated always as identity primary key,
  unit_id bigint, state text not null, version bigint not null,
  answer text, opened_at timestamptz not null
);
