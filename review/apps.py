"""The review app."""

from typing import Any

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        """Have the queue of disputes kept up with what annotators do."""
        # Models can only be imported once the apps are ready.
        from annotation.changes import labels_changed, more_labels_wanted  # noqa: PLC0415
        from review import pending  # noqa: PLC0415

        def keep_up(solutions: Any, **_about: Any) -> None:
            pending.keep_up(solutions)

        def take_out(project: Any, **_about: Any) -> None:
            pending.take_out_incomplete(project)

        labels_changed.connect(keep_up, weak=False)
        more_labels_wanted.connect(take_out, weak=False)
