SELECT @x.value('a', 'int')
