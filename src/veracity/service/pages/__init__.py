"""The explorer: pages of a run for people, beside the API for programs."""

from veracity.service.pages.errors import error_page, wants_page
from veracity.service.pages.routes import ROUTES

__all__ = ["ROUTES", "error_page", "wants_page"]
