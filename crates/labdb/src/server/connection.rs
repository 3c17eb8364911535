//! One connection: log-in, then requests until the client leaves.

use super::faults::DropAfter;
use super::gate::Admitted;
use super::responder::Responder;
use crate::exec::{
    BulkRows, RpcArgument, TransactionRequest, run_batch, run_bulk_load, run_rpc,
    run_transaction_request,
};
use crate::instance::{Instance, Serving};
use crate::session::{Client, Session, SessionShared, Status};
use labdb_tds::{
    Connection, EnvChange, LoginReply, RequestBody, Reset, RpcTarget, Security, ServerConfig,
};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// How a connection came.
pub(super) struct Arrival {
    /// The first that was accepted is 1.
    pub(super) number: u64,
    /// It is to be dropped, on purpose.
    pub(super) dropped: Option<DropAfter>,
    /// Its place among those that there may be.
    pub(super) admitted: Admitted,
}

/// Serves a connection to its end.
pub(super) fn serve(
    socket: TcpStream,
    arrival: Arrival,
    serving: &Arc<Serving>,
    instance: &Weak<Instance>,
    config: &ServerConfig,
) {
    // Kept to the end: whoever comes meanwhile finds the place taken.
    let _place = arrival.admitted;
    // A small answer must not wait for a full packet.
    let _ = socket.set_nodelay(true);
    let Ok((mut connection, login)) = Connection::accept(socket, config) else {
        return;
    };
    let Some(served) = serving.begin(instance) else {
        let _ = connection.login_failed(&in_shutdown());
        return;
    };
    let instance = &served.instance;
    let session = match log_in(&mut connection, &login, instance) {
        Ok(session) => session,
        Err(errors) => {
            for error in &errors {
                let text = format!(
                    "Login failed for user '{}': {} [CLIENT: {}]",
                    login.user,
                    error.message,
                    connection.peer().ip()
                );
                // A name with line ends in it must not write lines of its own.
                instance.log_error(0, &text.replace(char::is_control, "?"));
                let _ = connection.login_failed(error);
            }
            return;
        }
    };
    if connection
        .login_ok(&LoginReply::new(session.database().name()))
        .is_err()
    {
        return;
    }
    session
        .shared
        .status
        .store(Status::Sleeping as u8, Ordering::Relaxed);
    let mut requests_left = match arrival.dropped {
        Some(DropAfter::Time(after)) => {
            drop_later(&session, arrival.number, after);
            None
        }
        Some(DropAfter::Requests(requests)) => Some(requests),
        None => None,
    };
    while let Ok(Some(request)) = connection.next_request() {
        if requests_left == Some(0) {
            tell_drop(instance, arrival.number);
            break;
        }
        requests_left = requests_left.map(|left| left - 1);
        let begun = Instant::now();
        session
            .shared
            .status
            .store(Status::Running as u8, Ordering::Relaxed);
        if !session.shared.killed.load(Ordering::Relaxed) {
            session.shared.cancel.store(false, Ordering::Relaxed);
        }
        *session.shared.request.lock() = Some((labdb_storage::clock::now(), kind(&request.body)));
        let alive = answer(&mut connection, &session, &request.body, request.reset);
        let elapsed = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        session
            .shared
            .elapsed_ns
            .fetch_add(elapsed, Ordering::Relaxed);
        session
            .shared
            .cpu_ns
            .store(thread_cpu_ns(), Ordering::Relaxed);
        session
            .shared
            .status
            .store(Status::Sleeping as u8, Ordering::Relaxed);
        if !alive || session.shared.killed.load(Ordering::Relaxed) {
            break;
        }
    }
}

/// CPU time of this thread, which serves one session and nothing else.
fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let whole = u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000;
    whole + u64::try_from(time.tv_nsec).unwrap_or(0)
}

fn tell_drop(instance: &Instance, number: u64) {
    instance.log_error(0, &format!("Connection {number} is dropped on purpose."));
}

/// Drops a connection from another thread, as if the network had: whatever it is doing.
fn drop_later(session: &Session, number: u64, after: std::time::Duration) {
    let shared = Arc::downgrade(&session.shared);
    let instance = Arc::downgrade(&session.instance);
    let spawned = std::thread::Builder::new()
        .name("drop a connection".into())
        .spawn(move || {
            std::thread::sleep(after);
            if let (Some(shared), Some(instance)) = (shared.upgrade(), instance.upgrade()) {
                tell_drop(&instance, number);
                instance.kill(&shared);
            }
        });
    if let Err(error) = spawned {
        let text = format!("Connection {number} cannot be dropped on purpose: {error}.");
        session.instance.log_error(0, &text);
    }
}

fn kind(body: &RequestBody) -> &'static str {
    match body {
        RequestBody::Batch(_) => "BATCH",
        RequestBody::Rpc(_) => "EXECUTE",
        RequestBody::TransactionManager(_) => "TRANSACTION",
        RequestBody::BulkLoad(_) => "BULK INSERT",
        RequestBody::Unsupported(_) => "UNKNOWN",
    }
}

fn in_shutdown() -> SqlError {
    SqlError::new(6005, "SHUTDOWN is in progress.").severity(14)
}

fn log_in(
    connection: &mut Connection,
    login: &labdb_tds::Login,
    instance: &Arc<Instance>,
) -> Result<Session, Vec<SqlError>> {
    let failed =
        || SqlError::new(18456, format!("Login failed for user '{}'.", login.user)).severity(14);
    if instance.stopping.load(Ordering::Relaxed) {
        return Err(vec![in_shutdown()]);
    }
    let known = instance
        .login(&login.user, login.password.reveal())
        .ok_or_else(|| vec![failed()])?;
    let wanted = match (&login.database, &known.default_database) {
        (wanted, _) if !wanted.is_empty() => wanted,
        (_, Some(default)) => default,
        _ => "master",
    };
    let cannot_open = || {
        let first = if login.database.is_empty() {
            SqlError::new(4064, "Cannot open user default database. Login failed.")
        } else {
            SqlError::new(
                4060,
                format!(
                    "Cannot open database \"{wanted}\" requested by the login. The login failed."
                ),
            )
        };
        vec![first.severity(11), failed()]
    };
    let Some(database) = instance.database(wanted) else {
        return Err(cannot_open());
    };
    let peer = connection.peer();
    let encrypted = connection.security() == Security::Encrypted;
    let packet_size = i32::from(connection.packet_size());
    let closer = connection.closer().ok();
    let shared = instance
        .begin_session(|id| {
            let mut shared = SessionShared::new(id, &known.name);
            shared.host_name.clone_from(&login.host_name);
            shared.program_name.clone_from(&login.app_name);
            shared.client_interface.clone_from(&login.library);
            shared.host_process_id = login.client_process as i32;
            shared.client_address = peer.ip().to_string();
            shared.client_port = i32::from(peer.port());
            shared.encrypted = encrypted;
            shared.packet_size = packet_size;
            shared.initial_database = database.name();
            if let Some(closer) = closer {
                *shared.closer.get_mut() = Some(Box::new(move || closer.close()));
            }
            shared
        })
        .map_err(|e| vec![e])?;
    let session = Session::new(Arc::clone(instance), shared, Arc::clone(&database));
    if database.enter(&session).is_err() {
        return Err(cannot_open());
    }
    Ok(session)
}

/// Answers one request; `false` when the connection is of no more use.
fn answer(
    connection: &mut Connection,
    session: &Session,
    body: &RequestBody,
    reset: Reset,
) -> bool {
    let mut response = connection.response();
    match reset {
        Reset::Keep => {}
        Reset::Session | Reset::SessionKeepTransaction => {
            session.reset(reset == Reset::SessionKeepTransaction);
            if response.env_change(&EnvChange::ResetDone).is_err() {
                return false;
            }
        }
    }
    let outcome = run(
        &mut Responder {
            response: &mut response,
        },
        session,
        body,
    );
    let alive = outcome.is_ok_and(|keep| keep);
    response.finish().is_ok() && alive
}

fn run(client: &mut Responder<'_, '_>, session: &Session, body: &RequestBody) -> SqlResult<bool> {
    if !matches!(body, RequestBody::BulkLoad(_)) {
        // Only the rows themselves may follow an INSERT BULK.
        session.bulk.take();
    }
    let outcome = match body {
        RequestBody::Batch(text) => run_batch(session, text, client),
        RequestBody::Rpc(calls) => {
            let mut outcome = Ok(());
            for call in calls {
                let name = match &call.target {
                    RpcTarget::Name(name) => name.clone(),
                    RpcTarget::Id(id) => id.name().to_owned(),
                };
                let arguments: Vec<RpcArgument> = call
                    .parameters
                    .iter()
                    .map(|p| RpcArgument {
                        name: p.name.clone(),
                        output: p.by_ref,
                        default: p.default,
                        sql_type: p.sql_type,
                        value: p.value.clone(),
                    })
                    .collect();
                outcome = run_rpc(session, &name, &arguments, client);
                if outcome.is_err() {
                    break;
                }
            }
            outcome
        }
        RequestBody::TransactionManager(request) => {
            run_transaction_request(session, &translate(request), client)
        }
        RequestBody::BulkLoad(load) => {
            let mut rows = Rows {
                load,
                rows: load.rows(),
            };
            run_bulk_load(session, &mut rows, client)
        }
        RequestBody::Unsupported(error) => refuse(client, error),
    };
    match outcome {
        Ok(()) => Ok(true),
        Err(e) if e.number == crate::session::CANCELLED => {
            Ok(!session.shared.killed.load(Ordering::Relaxed))
        }
        Err(_) => Ok(false),
    }
}

/// The rows of a bulk load off the wire.
struct Rows<'a> {
    load: &'a labdb_tds::BulkLoad,
    rows: labdb_tds::BulkRows<'a>,
}

impl BulkRows for Rows<'_> {
    fn types(&self) -> Vec<SqlType> {
        self.load.types()
    }

    fn next_row(&mut self) -> SqlResult<Option<Vec<Value>>> {
        self.rows.next().transpose().map_err(|e| broken_row(&e))
    }
}

fn broken_row(error: &labdb_tds::Error) -> SqlError {
    SqlError::new(
        4804,
        format!("Premature end-of-message while reading current row from host: {error}."),
    )
    .severity(21)
}

fn refuse(client: &mut Responder<'_, '_>, error: &SqlError) -> SqlResult<()> {
    client.error(&error.clone().at_line(1))?;
    client.done(&crate::session::Done {
        rows: None,
        error: true,
        in_transaction: false,
        command: crate::session::Command::Other,
    })
}

fn translate(request: &labdb_tds::TransactionRequest) -> TransactionRequest {
    use labdb_tds::TransactionRequest as Wire;
    match request {
        Wire::Begin { name, isolation } => TransactionRequest::Begin {
            name: name.clone(),
            isolation: *isolation,
        },
        Wire::Commit { then_begin, .. } => TransactionRequest::Commit {
            then_begin: then_begin.is_some(),
        },
        Wire::Rollback { name, then_begin } => TransactionRequest::Rollback {
            name: name.clone(),
            then_begin: then_begin.is_some(),
        },
        Wire::Save { name } => TransactionRequest::Save { name: name.clone() },
    }
}
