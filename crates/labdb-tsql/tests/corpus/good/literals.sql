SELECT NULL, 1, -1, +2, 1.5, .5, 1., 1e3, 2.5E-1, $1.50, 'it''s', N'x', 0x, 0xABC, 2147483648, $1,000.50
SELECT 'a' 'alias', 1a
