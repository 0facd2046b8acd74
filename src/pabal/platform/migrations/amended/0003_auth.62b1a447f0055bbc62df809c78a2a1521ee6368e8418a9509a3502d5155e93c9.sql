-- The earlier text had a column that nobody reads or writes any more.
alter table pabal.user_account drop column must_change_password;
