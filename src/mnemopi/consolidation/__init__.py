"""Sleep: what waits is grouped and summed up in episodes, which cite their sources. Read `sleep` first."""
