//! Serves on 127.0.0.1:8080, or on the address in the first argument, and prints the key.
#![expect(
    clippy::print_stdout,
    reason = "the key is for the person who started this"
)]

use std::error::Error;

use api_conventions::ids::ProjectId;
use axum_host::{Host, router};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:8080");
    let (host, key) = Host::with_project(ProjectId::new(1)).await?;
    let listener = TcpListener::bind(address).await?;
    println!(
        "http://{}/projects/1/alerts takes alerts",
        listener.local_addr()?
    );
    println!("with the header Authorization: Bearer {}", key.reveal());
    axum::serve(listener, router(host)).await?;
    Ok(())
}
