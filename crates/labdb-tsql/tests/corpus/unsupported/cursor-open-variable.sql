OPEN @c
