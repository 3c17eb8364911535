SELECT /* a /* nested */ b */ 1 -- to the end
, 2 --
/**/