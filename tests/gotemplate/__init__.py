"""Execute templates with Go, to compare the results with ours."""
