SET @a =
