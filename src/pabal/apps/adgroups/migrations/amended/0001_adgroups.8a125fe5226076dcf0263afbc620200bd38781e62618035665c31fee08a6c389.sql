-- The earlier text had every ad group's legacy_id in a unique constraint.
alter table pabal.ad_group drop constraint ad_group_legacy_id_key;
create unique index ad_group_legacy on pabal.ad_group (legacy_id) where legacy_id is not null;
