"""One folder per format: `syntax`, `reader`, `fit`, `writer`. No adapter knows another."""
