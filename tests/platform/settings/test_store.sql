-- name: keep_value(key, value)!
insert into pabal.setting (key, value, version) values (:key, :value, 1);
