-- The next rows of the open cursor
fetch forward 100 from exported
