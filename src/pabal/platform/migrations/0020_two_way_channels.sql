-- Whether what people say to a channel's bot is listened to. Telegram lets one program at a time listen: where another one does,
-- somebody turns it off here. One channel of a bot that says no is enough.
alter table pabal.notification_channel add column is_two_way boolean not null default true;
