"""What a release needs besides the program: the content of the image, its SBOM, and the checks before publishing.

`.ci/release` and the Dockerfile run these modules with the standard library and pip only. They are not part of the
wheel, and the program does not import them.
"""
