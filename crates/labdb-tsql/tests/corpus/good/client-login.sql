set quoted_identifier on set arithabort off set numeric_roundabort off set ansi_warnings on set ansi_padding on set ansi_nulls on
set concat_null_yields_null on set cursor_close_on_commit off set implicit_transactions off set language us_english set dateformat mdy set datefirst 7
set transaction isolation level read committed select @@MAX_PRECISION, @@VERSION, SERVERPROPERTY('ProductVersion')
