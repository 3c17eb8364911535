DECLARE @at datetime2 = DATEADD(minute, -5, SYSDATETIME()), @file nvarchar(260) = N'/backup/shop.bak';
RESTORE HEADERONLY FROM DISK = @file;
RESTORE FILELISTONLY FROM DISK = @file WITH FILE = 2, NOUNLOAD;
RESTORE LABELONLY FROM DISK = N'/backup/shop.bak';
RESTORE VERIFYONLY FROM DISK = N'/backup/shop.bak' WITH CHECKSUM, STATS = 10;
RESTORE DATABASE [shop copy] FROM DISK = @file
    WITH FILE = 1, MOVE N'shop' TO N'/data/copy.mdf', MOVE N'shop_log' TO N'/data/copy_log.ldf',
    NORECOVERY, REPLACE, STATS = 5;
RESTORE DATABASE [shop copy] FROM DISK = '/backup/diff.bak' WITH NORECOVERY;
RESTORE LOG [shop copy] FROM DISK = '/backup/one.trn' WITH NORECOVERY, STOPAT = '2026-11-30T18:00:00';
RESTORE LOG [shop copy] FROM DISK = '/backup/two.trn' WITH RECOVERY, STOPAT = @at;
RESTORE DATABASE [shop copy] WITH RECOVERY
