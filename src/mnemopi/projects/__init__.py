"""Which project a folder belongs to, whatever it is called today, and which banks its sessions write and see."""
