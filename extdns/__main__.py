"""Run extdns with `python -m extdns`."""

from extdns.cli import main

raise SystemExit(main())
