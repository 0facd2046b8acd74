-- name: create_unowned#
create view example.unowned_group as select id, state, version from example.ad_group;
