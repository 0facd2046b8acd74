-- An alert is a memory: it must not keep its unit from being removed. What it was about stays with the head office.
alter table pabal.alert drop constraint alert_unit_id_fkey,
  add constraint alert_unit_id_fkey foreign key (unit_id) references pabal.unit (id) on delete set null;
