-- Requests that wait for a yes or no, and what consumers did: a row for each effect, so that a second one is seen.
create schema desk;
create table desk.request (
  id bigint primary key default pabal.new_id(),
  unit_id bigint not null references pabal.unit (id),
  name text not null,
  state text not null default 'waiting',
  version bigint not null default 1
);
create table desk.effect (n bigint generated always as identity primary key, consumer text not null, event text not null);
