"""The web server of these tests."""

from tests.support.web import web, web_settings

__all__ = ["web", "web_settings"]
