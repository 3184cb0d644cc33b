-- The next rows of the open cursor.
-- binds: none
fetch forward 100 from exported
