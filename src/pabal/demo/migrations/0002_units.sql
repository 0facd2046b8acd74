-- Kettles stand in branches of the demo's organisation; the one of before belonged to nobody.
delete from pabal.demo_kettle;
alter table pabal.demo_kettle alter column unit_id set not null, add foreign key (unit_id) references pabal.unit (id);
