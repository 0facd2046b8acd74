"""From calculated to stored: whose state is shown, where both ways differ, and how old ad groups are brought over."""
