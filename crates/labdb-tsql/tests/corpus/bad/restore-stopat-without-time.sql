RESTORE LOG shop FROM DISK = '/backup/one.trn' WITH STOPAT
