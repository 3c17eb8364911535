KILL @x
