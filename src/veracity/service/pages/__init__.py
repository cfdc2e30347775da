"""The explorer: pages of a run for people, beside the API for programs."""

from veracity.service.pages.errors import error_page, wants_page
from veracity.service.pages.routes import router

__all__ = ["error_page", "router", "wants_page"]
