//! Variables, control of flow, procedures.

use super::harness::Lab;

#[test]
fn loops_conditions_and_compound_assignments_add_up() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let sum = s.int(
        "DECLARE @i int = 0, @sum int = 0;
        WHILE 1 = 1
        BEGIN
            SET @i += 1;
            IF @i % 2 = 0 CONTINUE;
            IF @i > 9 BREAK;
            SET @sum += @i;
        END
        SELECT @sum",
    );
    assert_eq!(sum, 1 + 3 + 5 + 7 + 9);
    assert_eq!(
        s.int(
            "DECLARE @n int = 0; SELECT @n = @n + v FROM (VALUES (1), (2), (3)) AS t (v); SELECT @n"
        ),
        6
    );
    assert_eq!(
        s.int("DECLARE @i int = 0; again: SET @i += 1; IF @i < 4 GOTO again; SELECT @i"),
        4
    );
}

#[test]
fn try_catch_sees_the_error_and_throw_sends_it_on() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let rows = s.rows(
        "BEGIN TRY SELECT 1/0; END TRY BEGIN CATCH SELECT ERROR_NUMBER(), ERROR_MESSAGE(), \
         ERROR_LINE(), ERROR_SEVERITY(); END CATCH",
    );
    assert_eq!(rows[0].try_get::<i32, _>(0).unwrap(), Some(8134));
    assert_eq!(
        rows[0].try_get::<&str, _>(1).unwrap(),
        Some("Divide by zero error encountered.")
    );
    assert_eq!(rows[0].try_get::<i32, _>(2).unwrap(), Some(1));
    assert_eq!(
        s.error("BEGIN TRY THROW 50123, 'x', 1; END TRY BEGIN CATCH THROW; END CATCH"),
        50123
    );
    assert_eq!(
        s.int(
            "BEGIN TRY EXEC('SELECT * FROM nowhere'); END TRY BEGIN CATCH SELECT ERROR_NUMBER(); \
             END CATCH"
        ),
        208
    );
}

#[test]
fn procedures_take_defaults_give_outputs_and_return_codes() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE PROCEDURE dbo.p @a int, @b int = 10, @sum int OUTPUT AS BEGIN SET NOCOUNT ON; SET \
         @sum = @a + @b; RETURN @a; END",
    );
    let rows = s.rows("DECLARE @s int, @r int; EXEC @r = dbo.p 5, @sum = @s OUTPUT; SELECT @s, @r");
    assert_eq!(rows[0].try_get::<i32, _>(0).unwrap(), Some(15));
    assert_eq!(rows[0].try_get::<i32, _>(1).unwrap(), Some(5));
    assert_eq!(s.error("DECLARE @s int; EXEC dbo.p @sum = @s OUTPUT"), 201);
    s.exec("ALTER PROCEDURE dbo.p AS SELECT 42");
    assert_eq!(s.int("EXEC dbo.p"), 42);
    assert_eq!(
        s.int("DECLARE @t TABLE (n int); INSERT @t EXEC dbo.p; SELECT n FROM @t"),
        42
    );
    assert_eq!(
        s.int(
            "DECLARE @x int; EXEC sp_executesql N'SET @o = @i * 2', N'@i int, @o int OUTPUT', @i \
             = 21, @o = @x OUTPUT; SELECT @x"
        ),
        42
    );
    s.exec("DROP PROCEDURE dbo.p");
    assert_eq!(s.error("EXEC dbo.p"), 2812);
}

#[test]
fn parameters_of_a_driver_arrive_with_their_types() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let client = &mut s.client;
    let rows = lab.run(async {
        client
            .query(
                "SELECT @P1 + 1, @P2 + N'!', @P3",
                &[&41_i32, &"hey", &2.5_f64],
            )
            .await
            .unwrap()
            .into_first_result()
            .await
            .unwrap()
    });
    assert_eq!(rows[0].try_get::<i32, _>(0).unwrap(), Some(42));
    assert_eq!(rows[0].try_get::<&str, _>(1).unwrap(), Some("hey!"));
    assert_eq!(rows[0].try_get::<f64, _>(2).unwrap(), Some(2.5));
    let affected = lab.run(async {
        client
            .execute("CREATE TABLE dbo.q (n int)", &[])
            .await
            .unwrap();
        client
            .execute("INSERT dbo.q VALUES (@P1), (@P2)", &[&1_i32, &2_i32])
            .await
            .unwrap()
            .total()
    });
    assert_eq!(affected, 2);
}

#[test]
fn an_attention_ends_a_join_that_gives_no_row_for_hours() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE dbo.n (n int); INSERT dbo.n VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10);
         SELECT a.n * 1000 + b.n * 100 + c.n * 10 + d.n AS n INTO dbo.many
         FROM dbo.n a CROSS JOIN dbo.n b CROSS JOIN dbo.n c CROSS JOIN dbo.n d",
    );
    // 10^12 triples.
    let join = "dbo.many a JOIN dbo.many b ON a.n <> b.n JOIN dbo.many c ON a.n + b.n + c.n < 0";
    for statement in [
        format!("SELECT a.n FROM {join}"),
        format!("DECLARE @n int; SELECT @n = COUNT(*) FROM {join}"),
        format!("INSERT dbo.n SELECT a.n FROM {join}"),
        format!("UPDATE dbo.n SET n = 0 FROM dbo.n JOIN {join} ON dbo.n.n = a.n"),
    ] {
        let _open = s.cancel_soon(&statement);
        let ended = (0..2_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            s.int("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id <> @@SPID") == 0
        });
        assert!(ended, "{statement}");
    }
    assert_eq!(s.int("SELECT SUM(n) FROM dbo.n"), 55);
}
