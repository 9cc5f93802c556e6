//! Start, run and stop of the server.

mod signals;

use std::future::{Future as _, poll_fn};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Protocol};
use actix_server::{GracefulShutdownSignal, Server};
use actix_service::{
    IntoServiceFactory as _, Service as _, ServiceFactory, ServiceFactoryExt as _, fn_service,
    map_config,
};
use actix_web::dev::{AppConfig, Extensions, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::rt::task::JoinHandle;
use actix_web::{App, Error, web};
use tokio::net::{TcpSocket, TcpStream};

use crate::areas::NotFound;
use crate::config::{AppSettings, ServerSettings};
use crate::frame::client::client_address;
use crate::frame::limits::LimitCalls;
use crate::frame::page::address::fold;
use crate::state::AppState;
use crate::state::ServedReleases;
use gatehouse_core::auth::{epoch, usage};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, from_client};
use gatehouse_core::deleting;
use gatehouse_core::deprecation_uses;
use gatehouse_core::feed_watch::{self, FeedWatch};
use gatehouse_core::runner_contacts;
use gatehouse_core::searching;
use gatehouse_core::sending_messages::{MessageService, send_messages};
use gatehouse_core::signing_keys::keep_ready;
use gatehouse_core::{cleaning, cleaning_images, watching_heartbeats};
use web_conventions::connection::{ClientConnection, ConnectionLimits};
use web_conventions::early_response::{AnswerBody, LINGER};
use web_conventions::edge::observe;
use web_conventions::operations::{Operation, Router};
use web_conventions::refusals;
use web_conventions::wake_batching::WakeBatch;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// Function that returns the operations of a server: [`crate::areas::operations`], and any others of its host.
pub type Operations = fn() -> Vec<Operation>;

/// Server with a bound address that does not accept connections yet.
#[derive(Debug)]
pub struct BoundServer {
    socket: TcpSocket,
    address: SocketAddr,
    settings: Arc<AppSettings>,
    /// URL at which clients reach it, without a trailing slash.
    pub base_url: String,
}

/// Binds the address.
/// Clients cannot connect before the server [starts](BoundServer::start). Port 0 picks a free one; the base URL
/// contains it. So a server that cannot bind its address creates no database.
///
/// # Errors
/// If the address cannot be bound, or if it is a wildcard address and no external URL is set.
pub fn bind(settings: Arc<AppSettings>) -> anyhow::Result<BoundServer> {
    if let Some(fault) = settings.server.lacks_a_url() {
        anyhow::bail!(fault);
    }
    let address = settings.server.listen;
    let socket = take(address).map_err(|error| not_taken(address, &error))?;
    let bound = socket.local_addr()?;
    Ok(BoundServer {
        socket,
        address,
        base_url: settings.server.base_url(bound),
        settings,
    })
}

/// Error about an address that cannot be bound, with a hint.
fn not_taken(address: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => "; `--listen 127.0.0.1:0` picks a free port",
        _ => "",
    };
    anyhow::anyhow!("cannot listen on {address}: {error}{hint}")
}

fn take(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

impl BoundServer {
    /// Starts to serve requests.
    /// From now on the server handles the signals that end the process (SIGINT and SIGTERM), and SIGHUP, SIGUSR1,
    /// SIGUSR2 and SIGXFSZ no longer end it.
    ///
    /// # Errors
    /// If the state cannot be created or the listener fails.
    pub async fn start(
        self,
        database: Arc<Database>,
        operations: Operations,
    ) -> anyhow::Result<RunningServer> {
        let clock = Arc::new(SystemClock);
        let state = AppState::new(
            Arc::clone(&self.settings),
            database,
            clock,
            self.base_url.clone(),
        )?;
        let state = web::Data::new(state);
        signals::ignore()?;
        let listener = self.socket.listen(BACKLOG);
        let listener = listener.map_err(|error| not_taken(self.address, &error))?;
        let tasks = background_tasks(&state);
        let mut server = http_server(
            &self.settings.server,
            listener.into_std()?,
            state.clone(),
            operations,
        )?;
        let has_ended = first_poll(&mut server).await?.is_ready();
        tracing::info!(server.url = %self.base_url, database = %self.settings.database.url, "ready");
        Ok(RunningServer {
            server,
            has_ended,
            state,
            tasks,
        })
    }
}

/// Polls the server for the first time, which starts its threads and installs its signal handlers.
async fn first_poll(server: &mut Server) -> Poll<std::io::Result<()>> {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *server).poll(context))).await
}

/// Server that accepts requests.
pub struct RunningServer {
    server: Server,
    has_ended: bool,
    state: web::Data<AppState>,
    tasks: Vec<JoinHandle<()>>,
}

impl RunningServer {
    /// Waits until the process is asked to stop.
    /// Then it finishes the running requests and all accepted writes, and closes the database.
    ///
    /// # Errors
    /// If the listener fails.
    pub async fn ended(self) -> anyhow::Result<()> {
        let outcome = if self.has_ended {
            Ok(())
        } else {
            self.server.await
        };
        self.tasks.iter().for_each(JoinHandle::abort);
        if let Some(registry) = &self.state.registry {
            registry.stop();
        }
        let database = Arc::clone(&self.state.database);
        usage::flush(&database, &self.state.tokens, &self.state.sessions).await;
        deprecation_uses::flush(&database, &self.state.deprecation_uses).await;
        let now = self.state.now();
        runner_contacts::flush(&database, &self.state.runner_contacts, now).await;
        web::block(move || database.close()).await?;
        self.state.refusals.log_rest();
        tracing::info!("stopped");
        Ok(outcome?)
    }
}

impl std::fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningServer")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// Starts the HTTP library on our own connections.
/// They enforce all time limits except the one for a client that is still sending when the response is complete.
fn http_server(
    settings: &ServerSettings,
    listener: std::net::TcpListener,
    state: web::Data<AppState>,
    operations: Operations,
) -> std::io::Result<Server> {
    let server = Server::build().shutdown_timeout(settings.shutdown_timeout.as_secs());
    let server = match settings.workers {
        Some(workers) => server.workers(workers),
        None => server,
    };
    let limits = limits(settings);
    let ending = server.graceful_shutdown_signal();
    close_streams(ending.clone(), Arc::clone(&state.feed));
    let server = server.listen("http", listener, move || {
        let app = application(state.clone(), operations).into_factory();
        let app = app.map_err(|error| error.error_response());
        let ending = ending.clone();
        let http = HttpService::build()
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(LINGER)
            .graceful_shutdown_signal(move || {
                let ending = ending.clone();
                async move { ending.notified().await }
            })
            .on_connect_ext(|connection: &ClientConnection, data: &mut Extensions| {
                data.insert(Rc::clone(connection.gate()));
            })
            .finish(map_config(app, |()| AppConfig::default()));
        let refusals = Arc::clone(&state.refusals);
        let accept = fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let connection = ClientConnection::new(stream, limits, Arc::clone(&refusals));
            std::future::ready(Ok::<_, DispatchError>((connection, Protocol::Http1, peer)))
        });
        accept.and_then(http)
    })?;
    Ok(server.run())
}

/// Ends all streams once the server begins to stop, because it waits for running responses.
fn close_streams(ending: GracefulShutdownSignal, feed: Arc<FeedWatch>) {
    actix_web::rt::spawn(async move {
        ending.notified().await;
        feed.close();
    });
}

fn limits(settings: &ServerSettings) -> ConnectionLimits {
    ConnectionLimits {
        head: settings.header_timeout,
        idle: settings.keep_alive,
        write_timeout: settings.write_timeout,
        max_query: settings.max_query_bytes,
    }
}

fn application(
    state: web::Data<AppState>,
    operations: Operations,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<AnswerBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let router = router(operations, state.releases.clone());
    App::new()
        .app_data(state)
        .app_data(WakeBatch::start())
        .wrap_fn(|request, next| {
            let state = request.app_data::<web::Data<AppState>>();
            let client = state.and_then(|state| client_address(request.request(), state));
            from_client(client, fold(request, |request| next.call(request)))
        })
        .wrap(from_fn(observe::<AppState>))
        .default_service(router.into_factory())
}

/// Router for these operations, as the default service of an application whose data includes the state.
///
/// # Panics
/// If they cannot be served together. A program's operations are fixed, so this shows on its first run.
#[expect(clippy::panic, reason = "the operations of a program are fixed")]
pub fn router(operations: Operations, releases: ServedReleases) -> Router {
    let router = Router::new(operations(), releases, NotFound);
    router
        .unwrap_or_else(|fault| panic!("{fault}"))
        .admitting(LimitCalls)
}

fn background_tasks(state: &web::Data<AppState>) -> Vec<JoinHandle<()>> {
    let watch = epoch::watch(Arc::clone(&state.database));
    let forget = epoch::forget_regularly(Arc::clone(&state.database));
    let flush = usage::flush_regularly(
        Arc::clone(&state.database),
        Arc::clone(&state.tokens),
        Arc::clone(&state.sessions),
    );
    let clean = cleaning::clean_regularly(
        Arc::clone(&state.database),
        Arc::clone(&state.clock),
        cleaning::Retention {
            idle_seconds: state.sessions.lifetime().idle_seconds,
            alerts: state.settings.alerts,
            mail: state.outgoing_mail(),
        },
    );
    let mut tasks = vec![
        actix_web::rt::spawn(watch),
        actix_web::rt::spawn(forget),
        actix_web::rt::spawn(flush),
        actix_web::rt::spawn(clean),
        actix_web::rt::spawn(deprecation_uses::flush_regularly(
            Arc::clone(&state.database),
            Arc::clone(&state.deprecation_uses),
        )),
        actix_web::rt::spawn(runner_contacts::flush_regularly(
            Arc::clone(&state.database),
            Arc::clone(&state.runner_contacts),
            Arc::clone(&state.clock),
        )),
        actix_web::rt::spawn(deleting::delete_regularly(
            Arc::clone(&state.database),
            Arc::clone(&state.clock),
        )),
        actix_web::rt::spawn(keep_ready(
            Arc::clone(&state.keys),
            Arc::clone(&state.clock),
        )),
        actix_web::rt::spawn(refusals::log_regularly(Arc::clone(&state.refusals))),
        actix_web::rt::spawn(searching::prepare_regularly(Arc::clone(&state.database))),
        actix_web::rt::spawn(watching_heartbeats::watch_heartbeats(
            Arc::clone(&state.database),
            Arc::clone(&state.clock),
            state.alert_feed(),
        )),
        actix_web::rt::spawn(send_messages(MessageService {
            database: Arc::clone(&state.database),
            clock: Arc::clone(&state.clock),
            vault: Arc::clone(&state.vault),
            senders: Arc::clone(&state.senders),
            base_url: state.base_url.clone(),
        })),
        actix_web::rt::spawn(feed_watch::watch(
            Arc::clone(&state.database),
            Arc::clone(&state.feed),
        )),
    ];
    if let Some(registry) = &state.registry {
        tasks.push(actix_web::rt::spawn(
            cleaning_images::clean_images_regularly(
                Arc::clone(&state.database),
                Arc::clone(registry),
                Arc::clone(&state.clock),
            ),
        ));
    }
    tasks
}
