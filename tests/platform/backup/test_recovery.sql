-- name: read_sold()
select number from pabal.shop_sold;

-- name: lose_everything#
delete from pabal.shop_sold;
delete from pabal.schedule;
truncate pabal.work;
