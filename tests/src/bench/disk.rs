//! What the disk gives without a database.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const SECTOR_BYTES: usize = 512;

/// What the disk gives: a sector written and flushed, over a file that exists in full.
pub(super) fn bare_flushes_per_second(folder: &Path) -> f64 {
    let path = folder.join("bare-flush");
    let file = std::fs::File::create(&path).expect("a file");
    file.write_all_at(&vec![1; 16 << 20], 0).expect("written");
    file.sync_all().expect("flushed");
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        let offset = u64::from(count) * SECTOR_BYTES as u64 % (16 << 20);
        file.write_all_at(&[2; SECTOR_BYTES], offset)
            .expect("written");
        file.sync_data().expect("flushed");
        count += 1;
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    std::fs::remove_file(&path).expect("removed");
    rate
}

/// What a round trip and a flush cost without a database: an echo server that writes a sector and
/// flushes it before each answer. The disk rests between two flushes, as it does under a client
/// that waits for each answer; many disks then take longer than under back-to-back flushes.
pub(super) fn echoed_flushes_per_second(folder: &Path) -> f64 {
    // About the size of a one-row insert as a SQL batch, and of its answer.
    const REQUEST_BYTES: usize = 168;
    const ANSWER_BYTES: usize = 21;
    let path = folder.join("echoed-flush");
    let file = std::fs::File::create(&path).expect("a file");
    file.write_all_at(&vec![1; 16 << 20], 0).expect("written");
    file.sync_all().expect("flushed");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        socket.set_nodelay(true).expect("no delay");
        let mut request = [0; REQUEST_BYTES];
        let mut sector = 0_u64;
        while socket.read_exact(&mut request).is_ok() {
            file.write_all_at(&[2; SECTOR_BYTES], sector * SECTOR_BYTES as u64)
                .expect("written");
            file.sync_data().expect("flushed");
            sector = (sector + 1) % ((16 << 20) / SECTOR_BYTES as u64);
            socket.write_all(&[0; ANSWER_BYTES]).expect("answered");
        }
    });
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.set_nodelay(true).expect("no delay");
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        socket.write_all(&[0; REQUEST_BYTES]).expect("asked");
        socket.read_exact(&mut [0; ANSWER_BYTES]).expect("answered");
        count += 1;
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    drop(socket);
    server.join().expect("the echo ends");
    std::fs::remove_file(&path).expect("removed");
    rate
}

/// What `fio` reports for the same; none where it is not installed.
pub(super) fn fio_flushes_per_second(folder: &Path) -> Option<f64> {
    let output = Command::new("fio")
        .args([
            "--name=bench",
            "--rw=write",
            "--bs=512",
            "--size=16m",
            "--fdatasync=1",
            "--overwrite=1",
        ])
        .args([
            "--ioengine=psync",
            "--time_based",
            "--runtime=1",
            "--output-format=json",
            "--unlink=1",
        ])
        .arg(format!("--directory={}", folder.display()))
        .output()
        .ok()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    report["jobs"][0]["write"]["iops"].as_f64()
}
