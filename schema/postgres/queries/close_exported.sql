-- Closes the cursor of an export.
-- binds: none
close exported
