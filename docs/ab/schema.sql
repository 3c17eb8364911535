-- The table and the procedure of order.sql. It can be run again: ab runs it before the first round.
DROP PROCEDURE IF EXISTS dbo.add_order;
DROP TABLE IF EXISTS dbo.orders;
GO
CREATE TABLE dbo.orders (
    id bigint IDENTITY NOT NULL,
    customer int NOT NULL,
    amount decimal(9, 2) NOT NULL,
    note nvarchar(60) NOT NULL,
    CONSTRAINT pk_orders PRIMARY KEY CLUSTERED (id)
);
CREATE INDEX ix_orders_customer ON dbo.orders (customer);
GO
CREATE PROCEDURE dbo.add_order
    @customer int, @amount decimal(9, 2), @note nvarchar(60), @id bigint OUTPUT
AS
INSERT INTO dbo.orders (customer, amount, note) VALUES (@customer, @amount, @note);
SET @id = SCOPE_IDENTITY();
