"""Templates as Go itself carries them out, to hold ours against."""
