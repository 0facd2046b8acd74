-- name: analyze_nothing()
-- What a server that is set up and vacuumed before its first message knows of these tables: that they are empty.
analyze relay.account; analyze relay.account_use; analyze relay.conversation; analyze relay.message; analyze relay.reply;
