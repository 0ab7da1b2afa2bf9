"""What was lost, and what it is called: from the difference of two documents to what a caller gets."""
