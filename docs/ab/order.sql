-- One order: one transaction, one round trip.
-- loadgen: @customer int = zipf(1, 100000, 1.1)
-- loadgen: @amount decimal(9, 2) = random(0.01, 500)
-- loadgen: @note nvarchar(60) = random_text(10, 60)
INSERT INTO dbo.orders (customer, amount, note) VALUES (@customer, @amount, @note);
