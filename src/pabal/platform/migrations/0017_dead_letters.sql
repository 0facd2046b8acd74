-- What a consumer could not take. asked_at: somebody wants it tried again.
create table pabal.dead_letter (
  id bigint primary key default pabal.new_id(),
  consumer text not null, event_seq bigint not null references pabal.event,
  unit_id bigint not null,
  error text not null, tries integer not null check (tries >= 1), at timestamptz not null, asked_at timestamptz,
  constraint a_letter_is_dead_once unique (consumer, event_seq)
);
create index dead_letter_unit on pabal.dead_letter (unit_id, id);
create index dead_letter_event on pabal.dead_letter (event_seq);
create index dead_letter_asked on pabal.dead_letter (consumer, asked_at) where asked_at is not null;
