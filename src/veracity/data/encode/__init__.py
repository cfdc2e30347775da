"""Encode claims as integer arrays: kinds of attributes, repeated claims, implied denials."""
