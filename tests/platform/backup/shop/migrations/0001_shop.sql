create table pabal.shop_sold (number bigint not null);
insert into pabal.shop_sold values (0);
