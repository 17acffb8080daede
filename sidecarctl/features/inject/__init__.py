"""Documents with their objects transformed, edited and verified."""
