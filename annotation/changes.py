"""What the floors above are told, in the transaction of the act: what they keep of it is never behind."""

from django.dispatch import Signal

labels_changed = Signal()  # `solutions`: the keys of those whose labels are new or revised
more_labels_wanted = Signal()  # `project`: its solutions may want more labels than before
