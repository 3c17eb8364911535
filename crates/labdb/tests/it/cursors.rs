//! Cursors that read forward.

use super::harness::Lab;

#[test]
fn a_cursor_gives_its_rows_one_after_another() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE #t (id int, name varchar(10)); INSERT #t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    );
    assert_eq!(
        s.column(
            "DECLARE @id int, @name varchar(10), @all varchar(100) = '', @least int = 2
             DECLARE c CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
                 SELECT id, name FROM #t WHERE id >= @least ORDER BY id DESC
             SET @least = 100
             DECLARE @status varchar(100) = CONCAT(CURSOR_STATUS('local', 'c'), CURSOR_STATUS('global', 'c'))
             OPEN c
             DELETE #t WHERE id = 3
             SET @status += CONCAT('/', CURSOR_STATUS('local', 'c'), @@CURSOR_ROWS)
             FETCH NEXT FROM c INTO @id, @name
             WHILE @@FETCH_STATUS = 0
             BEGIN
                 SET @all += CONCAT(@id, @name, ' ')
                 FETCH FROM c INTO @id, @name
             END
             SET @status += CONCAT('/', @@FETCH_STATUS)
             CLOSE c
             SET @status += CONCAT('/', CURSOR_STATUS('local', 'c'))
             DEALLOCATE c
             SELECT CONCAT(@all, @status, '/', CURSOR_STATUS('local', 'c'), @id)"
        ),
        "3c 2b -1-3/12/-1/-1/-32"
    );
}

#[test]
fn a_global_cursor_lives_as_long_as_its_session_and_a_local_one_as_its_batch() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "DECLARE g CURSOR FOR WITH n AS (SELECT 7 AS v UNION ALL SELECT 8) SELECT v FROM n; OPEN g",
    );
    s.exec("DECLARE l CURSOR LOCAL FOR SELECT 1; OPEN l");
    assert_eq!(s.error("FETCH l"), 16916);
    // Without INTO a fetch is a result of its own, and @@FETCH_STATUS is the session's.
    assert_eq!(s.int("FETCH NEXT FROM g"), 7);
    assert_eq!(s.int("SELECT @@FETCH_STATUS"), 0);
    assert_eq!(s.int("SELECT @@CURSOR_ROWS"), -1);
    s.exec("CREATE PROCEDURE next_one @v int OUTPUT AS FETCH NEXT FROM GLOBAL g INTO @v");
    assert_eq!(
        s.int("DECLARE @v int; EXEC next_one @v OUTPUT; SELECT @v"),
        8
    );
    assert_eq!(s.rows("FETCH NEXT FROM g").len(), 0);
    assert_eq!(s.int("SELECT @@FETCH_STATUS"), -1);
    // OPEN after CLOSE begins again.
    s.exec("CLOSE g; OPEN g");
    assert_eq!(s.int("FETCH g"), 7);
    let mut other = lab.connect();
    assert_eq!(other.error("FETCH g"), 16916);
    // An open cursor needs no CLOSE before DEALLOCATE.
    s.exec("DEALLOCATE g");
    assert_eq!(s.error("OPEN g"), 16916);
}

#[test]
fn cursors_have_their_errors() {
    let lab = Lab::start();
    let mut s = lab.connect();
    assert_eq!(s.error("OPEN none"), 16916);
    assert_eq!(s.error("DEALLOCATE none"), 16916);
    s.exec("DECLARE c CURSOR FOR SELECT 1, 'a'");
    assert_eq!(s.error("DECLARE c CURSOR FOR SELECT 1"), 16915);
    assert_eq!(s.error("FETCH c"), 16917);
    assert_eq!(s.error("CLOSE c"), 16917);
    s.exec("OPEN c");
    assert_eq!(s.error("OPEN c"), 16905);
    assert_eq!(s.error("DECLARE @a int; FETCH c INTO @a"), 16924);
    assert_eq!(s.error("FETCH c INTO @a, @b"), 137);
    // The failed ones took no row.
    assert_eq!(
        s.int("DECLARE @a int, @b varchar(1); FETCH c INTO @a, @b; SELECT @a"),
        1
    );
    assert_eq!(s.error("DECLARE d CURSOR FOR SELECT a FROM missing"), 208);
    assert_eq!(
        s.error("DECLARE @a int; DECLARE d CURSOR FOR SELECT @a = 1"),
        154
    );
    assert_eq!(s.error("DECLARE d CURSOR FOR SELECT 1 AS x INTO #x"), 154);
    assert_eq!(s.error("DECLARE d SCROLL CURSOR FOR SELECT 1"), 40510);
    assert_eq!(s.error("FETCH PRIOR FROM c"), 40510);
    assert_eq!(
        s.column(
            "BEGIN TRY OPEN nowhere END TRY BEGIN CATCH SELECT CONCAT(ERROR_NUMBER(), ' ', \
             ERROR_SEVERITY(), ' ', ERROR_MESSAGE()) END CATCH"
        ),
        "16916 16 A cursor with the name 'nowhere' does not exist."
    );
}

#[test]
fn the_plan_of_a_cursor_follows_its_table() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE #t (id int); INSERT #t VALUES (5)");
    s.exec("DECLARE c CURSOR FOR SELECT id FROM #t");
    s.exec("DROP TABLE #t; CREATE TABLE #t (other int, id int)");
    s.exec("INSERT #t VALUES (1, 6)");
    s.exec("OPEN c");
    assert_eq!(s.int("FETCH c"), 6);
    s.exec("CLOSE c; DROP TABLE #t");
    assert_eq!(s.error("OPEN c"), 208);
    assert_eq!(
        s.int(
            "DECLARE @t TABLE (v int); INSERT @t VALUES (3); DECLARE @v int
             DECLARE d CURSOR LOCAL FOR SELECT v FROM @t
             CREATE TABLE #other (a int)
             OPEN d; FETCH d INTO @v; CLOSE d; DEALLOCATE d
             INSERT @t VALUES (4)
             SELECT SUM(v) * 10 + @v FROM @t"
        ),
        73
    );
}
