"""The report of losses: from the differences of two documents to the result that a caller gets."""
