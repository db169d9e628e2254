"""The subcommands, a file each: its options and its help. What the larger ones do is in `extdns.commands`."""
