-- Two statements in one transaction: an order, and the correction of its amount.
-- loadgen: @customer int = zipf(1, 100000, 1.1)
-- loadgen: @amount decimal(9, 2) = random(0.01, 500)
-- loadgen: @reason nvarchar(60) = choice('the customer''s wish', 'a typing error', 'a discount')
DECLARE @id bigint;
BEGIN TRANSACTION;
EXEC dbo.add_order @customer, @amount, @reason, @id OUTPUT;
UPDATE dbo.orders SET amount = amount - 0.01 WHERE id = @id;
COMMIT TRANSACTION;
