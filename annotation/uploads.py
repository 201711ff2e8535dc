"""Keeping the files that people send."""

import hashlib

from django.core.files import File

from annotation.models import Project, Upload, User


def keep(project: Project, file: "File[bytes]", by: User) -> Upload:
    """Store a sent file once; the same name with the same content is the same upload."""
    data: bytes = file.read()
    digest = hashlib.sha256(data).hexdigest()
    name = (file.name or "file")[:200]
    same = Upload.objects.filter(project=project, sha256=digest, name=name).first()
    return same or Upload.objects.create(project=project, name=name, sha256=digest, content=data, uploaded_by=by)
