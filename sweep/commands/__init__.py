"""The commands of `dojo-sweep`, one file a theme."""
