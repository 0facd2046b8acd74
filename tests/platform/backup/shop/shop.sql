-- name: add_sold(number)!
update pabal.shop_sold set number = number + :number;
