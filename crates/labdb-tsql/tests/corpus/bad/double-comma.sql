SELECT a,,b
