//! From the command line to a running server and back.

use super::arguments::{Arguments, EncryptArgument, Switch};
use super::{ConnectionFaults, Server, injection};
use crate::instance::{Instance, InstanceOptions, PasswordHash, Said, ServerPermission, State};
use clap::Parser as _;
use labdb_storage::Options;
use labdb_tds::{Encryption, Identity, ProgramVersion, ServerConfig};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs labdb with a command line.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(e) => {
            let code = if e.use_stderr() { 2 } else { 0 };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    match serve(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "labdb: {message}");
            ExitCode::from(1)
        }
    }
}

fn serve(arguments: &Arguments) -> Result<(), String> {
    // Before anything can be interrupted half-way.
    let mut signals =
        Signals::new([SIGTERM, SIGINT]).map_err(|e| format!("signals cannot be handled: {e}"))?;
    injection::check(&arguments.fault)?;
    injection::step_clock(&arguments.fault);
    let data = std::path::absolute(&arguments.data)
        .map_err(|e| format!("--data {}: {e}", arguments.data.display()))?;
    let options = InstanceOptions {
        server_name: arguments.server_name.clone(),
        storage: Options {
            buffer_pool_bytes: arguments.buffer_pool_mb << 20,
            checkpoint_log_bytes: arguments.checkpoint_log_mb << 20,
            instant_file_initialization: arguments.instant_file_initialization == Switch::On,
            log_flush_delay: injection::flush_delay(&arguments.fault)?,
            ..Options::default()
        },
        files: injection::files(&arguments.fault, &data),
        data,
        faults: arguments
            .fault
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        max_connections: arguments.max_connections,
    };
    let instance = Instance::open(options).map_err(|e| e.message)?;
    instance
        .memory
        .set_limit(arguments.statement_memory_mb << 20);
    let password_file = logins(&instance, arguments)?;
    let config = config(arguments, &instance.options.data)?;
    let faults = ConnectionFaults::new(&arguments.fault);
    let listening = Server::start_with(Arc::clone(&instance), arguments.listen, config, faults);
    let server = listening.map_err(|e| {
        format!(
            "cannot listen on {}: {e}. Choose another --listen address, or port 0 for a free one.",
            arguments.listen
        )
    })?;
    announce(arguments, &server, password_file.as_deref())?;
    if let Some(signal) = signals.forever().next() {
        instance.log_error(0, &format!("Stopping: signal {signal} received."));
    }
    server.stop();
    Ok(())
}

/// Says on standard error what it is and where; standard output stays empty.
fn announce(
    arguments: &Arguments,
    server: &Server,
    password_file: Option<&Path>,
) -> Result<(), String> {
    let address = server.address();
    let mut text = format!(
        "{}\nlabdb listens on {address}, data in {}, login {}",
        crate::instance::version_text(&server.instance),
        server.instance.options.data.display(),
        arguments.login
    );
    if let Some(file) = password_file {
        text.push_str(", its password in ");
        text.push_str(&file.display().to_string());
    }
    if !address.ip().is_loopback() {
        text.push_str(
            "\nlabdb: warning: other machines can connect to this address. labdb is a test server: \
             its owner can read and write files as the user that runs it. Use --listen \
             127.0.0.1:PORT unless they must.",
        );
    }
    let _ = writeln!(std::io::stderr(), "{text}");
    server
        .instance
        .log_error(0, &format!("Server is listening on {address}."));
    if let Some(file) = &arguments.port_file {
        replace(file, format!("{}\n", address.port()).as_bytes(), 0o644)?;
    }
    if let Some(file) = &arguments.ready_file {
        replace(file, b"", 0o644)?;
    }
    Ok(())
}

/// Writes a file so that a reader sees all of it or nothing.
fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<(), String> {
    let fresh = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        let mut file = options.open(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)
    };
    write().map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// A password of 24 characters out of 62: 142 bits.
fn generated_password() -> String {
    use rand::Rng;
    rand::rng()
        .sample_iter(rand::distr::Alphanumeric)
        .take(24)
        .map(char::from)
        .collect()
}

/// Makes the logins that do not exist yet, and gives environment passwords to those that do.
fn logins(
    instance: &Instance,
    arguments: &Arguments,
) -> Result<Option<std::path::PathBuf>, String> {
    let mut state = instance.state.lock();
    let mut written = None;
    let given = std::env::var("LABDB_PASSWORD")
        .ok()
        .filter(|p| !p.is_empty());
    let known = state
        .logins
        .iter()
        .any(|l| l.name.eq_ignore_ascii_case(&arguments.login));
    let mut changed = false;
    if given.is_some() || !known {
        let password = match given {
            Some(password) => password,
            None => {
                let password = generated_password();
                let file = instance.options.data.join("password");
                replace(&file, format!("{password}\n").as_bytes(), 0o600)?;
                written = Some(file);
                password
            }
        };
        put(&mut state, &arguments.login, &password, true, false);
        changed = true;
    } else {
        let file = instance.options.data.join("password");
        written = file.exists().then_some(file);
    }
    for user in &arguments.user {
        let (name, right) = user.split_once(':').unwrap_or((user, ""));
        let view = match right {
            "" => false,
            "view-server-state" => true,
            other => {
                return Err(format!(
                    "--user {user}: '{other}' is no right labdb has; the one it has is \
                     view-server-state"
                ));
            }
        };
        let variable = format!("LABDB_PASSWORD_{}", name.to_uppercase());
        let password = std::env::var(&variable)
            .map_err(|_| format!("--user {name}: its password is missing; set {variable}"))?;
        put(&mut state, name, &password, false, view);
        changed = true;
    }
    if changed {
        state.save(&instance.options.data).map_err(|e| e.message)?;
    }
    Ok(written)
}

/// Makes a login, or gives the one there is this password; what it was granted stays.
fn put(state: &mut State, name: &str, password: &str, sysadmin: bool, view_server_state: bool) {
    let hash = PasswordHash::new(password);
    if state.login(name).is_none() {
        let login = state.new_login(name, hash.clone());
        state.logins.push(login);
    }
    if let Some(login) = state.login_mut(name) {
        login.hash = hash;
        login.sysadmin |= sysadmin;
        if view_server_state {
            login
                .permissions
                .insert(ServerPermission::ViewServerState, Said::Granted);
        }
    }
}

fn config(arguments: &Arguments, data: &Path) -> Result<ServerConfig, String> {
    let mut config = ServerConfig::new(
        "labdb",
        ProgramVersion {
            major: 16,
            minor: 0,
            build: 1000,
        },
    );
    config.server_name.clone_from(&arguments.server_name);
    let encryption = match arguments.encrypt {
        EncryptArgument::Off => return Ok(config),
        EncryptArgument::Optional => Encryption::Optional,
        EncryptArgument::Required => Encryption::Required,
    };
    let (certificate, key) = match (&arguments.cert, &arguments.key) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
        _ => own_certificate(arguments, data)?,
    };
    let read = |path: &Path| {
        std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
    };
    let identity = Identity::from_pem(&read(&certificate)?, &read(&key)?)
        .map_err(|e| format!("{e} ({}, {})", certificate.display(), key.display()))?;
    Ok(config.with_encryption(encryption, identity))
}

/// The self-signed certificate of the data folder, made once.
fn own_certificate(
    arguments: &Arguments,
    data: &Path,
) -> Result<(std::path::PathBuf, std::path::PathBuf), String> {
    let (certificate, key) = (data.join("certificate.pem"), data.join("private-key.pem"));
    if !certificate.exists() || !key.exists() {
        let machine = crate::functions::machine_name();
        let address = arguments.listen.ip().to_string();
        let mut names = vec!["localhost", "127.0.0.1", "::1"];
        for name in [machine.as_str(), address.as_str()] {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let made = labdb_tds::self_signed(&names).map_err(|e| e.to_string())?;
        replace(&key, made.private_key_pem.as_bytes(), 0o600)?;
        replace(&certificate, made.certificate_pem.as_bytes(), 0o644)?;
    }
    Ok((certificate, key))
}

/// Makes or changes a login, for tests that start a server in their own process.
///
/// # Errors
/// When the instance's state cannot be written.
pub fn set_login(
    instance: &Instance,
    name: &str,
    password: &str,
    sysadmin: bool,
    view_server_state: bool,
) -> labdb_types::SqlResult<()> {
    let mut state = instance.state.lock();
    put(&mut state, name, password, sysadmin, view_server_state);
    state.save(&instance.options.data)
}
