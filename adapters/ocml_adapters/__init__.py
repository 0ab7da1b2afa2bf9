"""One folder per format: `syntax`, `sniff`, `reader`, `nearest`, `units`. No adapter knows another."""
