//! Log-ins by a real client, with every kind of protection.

mod server;

use labdb_tds::{Encryption, Security};
use server::{Server, connect, encrypting, just_done, plain};
use std::time::Duration;
use tiberius::{AuthMethod, EncryptionLevel};

#[tokio::test]
async fn a_plain_log_in_brings_all_that_the_client_said() {
    let server = Server::start(plain(), just_done);
    let mut config = server.client_config(EncryptionLevel::NotSupported);
    config.database("werk");
    config.application_name("Prüfung");
    config.readonly(true);
    let mut client = connect(config).await.unwrap();
    client
        .simple_query("x")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    let (login, security) = server.logins.recv().unwrap().unwrap();
    assert_eq!(security, Security::Plain);
    assert_eq!(login.user, "sa");
    assert_eq!(login.password.reveal(), server::PASSWORD);
    assert_eq!(login.database, "werk");
    assert_eq!(login.app_name, "Prüfung");
    assert!(login.read_only_intent);
    let shown = format!("{login:?}");
    assert!(!shown.contains("ssword€"), "{shown}");
}

#[tokio::test]
async fn a_client_that_does_not_ask_for_encryption_has_its_log_in_encrypted() {
    let (config, _) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let mut config = server.client_config(EncryptionLevel::Off);
    config.trust_cert();
    let mut client = connect(config).await.unwrap();
    for _ in 0..3 {
        client
            .simple_query("x")
            .await
            .unwrap()
            .into_results()
            .await
            .unwrap();
    }
    let (_, security) = server.logins.recv().unwrap().unwrap();
    assert_eq!(security, Security::LoginOnly);
}

#[tokio::test]
async fn a_client_that_asks_for_encryption_has_all_encrypted() {
    for offered in [Encryption::Optional, Encryption::Required] {
        for asked in [EncryptionLevel::On, EncryptionLevel::Required] {
            let (config, _) = encrypting(offered);
            let server = Server::start(config, just_done);
            let mut config = server.client_config(asked);
            config.trust_cert();
            let mut client = connect(config).await.unwrap();
            for _ in 0..3 {
                client
                    .simple_query("x")
                    .await
                    .unwrap()
                    .into_results()
                    .await
                    .unwrap();
            }
            let (_, security) = server.logins.recv().unwrap().unwrap();
            assert_eq!(security, Security::Encrypted);
        }
    }
}

#[tokio::test]
async fn a_server_that_requires_encryption_gets_it_from_a_client_that_would_do_without() {
    let (config, _) = encrypting(Encryption::Required);
    let server = Server::start(config, just_done);
    let mut config = server.client_config(EncryptionLevel::Off);
    config.trust_cert();
    let mut client = connect(config).await.unwrap();
    client
        .simple_query("x")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    let (_, security) = server.logins.recv().unwrap().unwrap();
    assert_eq!(security, Security::Encrypted);
}

#[tokio::test]
async fn a_server_that_requires_encryption_refuses_a_client_without_it() {
    let (config, _) = encrypting(Encryption::Required);
    let server = Server::start(config, just_done);
    let config = server.client_config(EncryptionLevel::NotSupported);
    assert!(connect(config).await.is_err());
    let refusal = server.logins.recv().unwrap().unwrap_err();
    assert!(refusal.contains("requires encryption"), "{refusal}");
}

#[tokio::test]
async fn the_certificate_is_trusted_by_its_file_and_by_nothing_else() {
    let (config, certificate) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.crt");
    std::fs::write(&file, certificate).unwrap();

    let mut trusting = server.client_config(EncryptionLevel::Required);
    trusting.host("localhost");
    trusting.trust_cert_ca(file.display());
    assert!(connect(trusting).await.is_ok());
    assert!(server.logins.recv().unwrap().is_ok());

    let mut wary = server.client_config(EncryptionLevel::Required);
    wary.host("localhost");
    assert!(connect(wary).await.is_err());
    assert!(server.logins.recv().unwrap().is_err());
}

#[tokio::test]
async fn a_client_that_encrypts_against_the_servers_answer_is_cut_off_instead_of_hanging() {
    let server = Server::start(plain(), just_done);
    for level in [EncryptionLevel::Off, EncryptionLevel::Required] {
        let mut config = server.client_config(level);
        config.trust_cert();
        let ended = tokio::time::timeout(Duration::from_secs(10), connect(config)).await;
        assert!(ended.expect("the server answers or closes").is_err());
    }
}

#[tokio::test]
async fn a_strict_client_encrypts_before_its_first_packet() {
    let (config, certificate) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let mut config = server.client_config(EncryptionLevel::Strict);
    config.host("localhost");
    config.trust_cert_ca_bundle(certificate.into_bytes());
    let mut client = connect(config).await.unwrap();
    client
        .simple_query("x")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    let (_, security) = server.logins.recv().unwrap().unwrap();
    assert_eq!(security, Security::Encrypted);
}

#[tokio::test]
async fn a_strict_client_is_cut_off_by_a_server_without_encryption() {
    let server = Server::start(plain(), just_done);
    let mut config = server.client_config(EncryptionLevel::Strict);
    config.trust_cert_ca_bundle(encrypting(Encryption::Optional).1.into_bytes());
    assert!(connect(config).await.is_err());
    let refusal = server.logins.recv().unwrap().unwrap_err();
    assert!(refusal.contains("strict"), "{refusal}");
}

#[tokio::test]
async fn a_wrong_password_gets_error_18456() {
    let server = Server::start(plain(), just_done);
    let mut config = server.client_config(EncryptionLevel::NotSupported);
    config.authentication(AuthMethod::sql_server("sa", "wrong"));
    match connect(config).await {
        Err(tiberius::error::Error::Server(error)) => {
            assert_eq!((error.code(), error.class()), (18456, 14));
        }
        other => panic!("{:?}", other.err()),
    }
}

#[tokio::test]
async fn a_federated_log_in_is_refused_by_name() {
    let (config, _) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let mut config = server.client_config(EncryptionLevel::Required);
    config.trust_cert();
    config.authentication(AuthMethod::aad_token("token"));
    assert!(connect(config).await.is_err());
    let refusal = server.logins.recv().unwrap().unwrap_err();
    assert!(refusal.contains("Federated authentication"), "{refusal}");
}
