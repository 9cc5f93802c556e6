//! Start, run and stop of the server.

mod accept;
mod background;
mod listeners;
mod reload;
mod service_manager;
mod signals;
mod tls;
#[cfg(unix)]
mod unix_socket;

use std::future::{Future as _, poll_fn, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive};
use actix_server::{GracefulShutdownSignal, Server};
use actix_service::{
    IntoServiceFactory as _, Service as _, ServiceFactory, ServiceFactoryExt as _, fn_service,
    map_config,
};
use actix_web::dev::{AppConfig, Extensions, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::rt::task::JoinHandle;
use actix_web::{App, Error, web};

use self::accept::{AcceptedConnection, Acceptor};
use self::listeners::{Listener, ServerSockets, SocketFiles};
use self::reload::reload;
pub use self::reload::{ApplyLog, ReloadSource};
use crate::areas::NotFound;
use crate::areas::events::StreamReader;
use crate::config::{AppSettings, ListenAddress, ServerSettings};
use crate::frame::client::client_address;
use crate::frame::limits::LimitCalls;
use crate::frame::page::address::fold;
use crate::state::AppState;
use crate::state::ServedReleases;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, from_client};
use gatehouse_core::feed_watch::FeedWatch;
use web_conventions::connection::{ClientConnection, ConnectionLimits};
use web_conventions::early_response::{AnswerBody, LINGER};
use web_conventions::edge::observe;
use web_conventions::operations::{Operation, Router};
use web_conventions::wake_batching::WakeBatch;

/// Function that returns the operations of a server: [`crate::areas::operations`], and any others of its host.
pub type Operations = fn() -> Vec<Operation>;

/// Server with bound addresses that does not accept connections yet.
#[derive(Debug)]
pub struct BoundServer {
    sockets: ServerSockets,
    settings: Arc<AppSettings>,
    reload: Option<ReloadSource>,
    /// URL at which clients reach it, without a trailing slash.
    pub base_url: String,
}

/// Binds the addresses, or takes the sockets that the service manager passes.
/// Clients cannot connect before the server [starts](BoundServer::start). Port 0 picks a free one; the base URL
/// contains it. So a server that cannot bind its address creates no database.
///
/// # Errors
/// If an address cannot be bound, or if one is a wildcard address and no external URL is set.
pub fn bind(settings: Arc<AppSettings>) -> anyhow::Result<BoundServer> {
    if let Some(fault) = settings.server.lacks_a_url() {
        anyhow::bail!(fault);
    }
    let sockets = ServerSockets::open(&settings.server)?;
    Ok(BoundServer {
        base_url: settings.server.base_url(&sockets.address),
        sockets,
        settings,
        reload: None,
    })
}

impl BoundServer {
    /// Reloads the configuration from this source on SIGHUP.
    #[must_use]
    pub fn reloading(mut self, source: ReloadSource) -> Self {
        self.reload = Some(source);
        self
    }

    /// Starts to serve requests.
    /// From now on the server handles the signals that end the process (SIGINT and SIGTERM), and SIGHUP, SIGUSR1,
    /// SIGUSR2 and SIGXFSZ no longer end it. The service manager learns that the server is ready.
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
        let (reloaded, source) = (state.clone(), self.reload);
        signals::handle(move || reload(&reloaded, source.as_ref()))?;
        let (listeners, files) = self.sockets.listen()?;
        let addresses: Vec<String> = listeners
            .iter()
            .map(|(address, _)| address.to_string())
            .collect();
        let tasks = background::start(&state);
        let mut server = http_server(&self.settings.server, listeners, &state, operations)?;
        let has_ended = first_poll(&mut server).await?.is_ready();
        tracing::info!(
            server.url = %self.base_url,
            server.addresses = %addresses.join(", "),
            database = %self.settings.database.url,
            "ready",
        );
        service_manager::ready();
        Ok(RunningServer {
            server,
            has_ended,
            state,
            tasks,
            _files: files,
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
    _files: SocketFiles,
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
        background::flush(&self.state).await;
        web::block(move || database.close()).await?;
        self.state.refusals.log_rest();
        #[cfg(feature = "traces")]
        web::block(crate::traces::end).await?;
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
///
/// # Errors
/// If a listener cannot be used.
fn http_server(
    settings: &ServerSettings,
    listeners: Vec<(ListenAddress, Listener)>,
    state: &web::Data<AppState>,
    operations: Operations,
) -> anyhow::Result<Server> {
    let mut server = Server::build().shutdown_timeout(settings.shutdown_timeout.as_secs());
    if let Some(workers) = settings.workers {
        server = server.workers(workers);
    }
    let ending = server.graceful_shutdown_signal();
    announce_end(ending.clone(), Arc::clone(&state.feed));
    let plain = Acceptor::new(limits(settings), Arc::clone(&state.refusals));
    let encrypted = state
        .certificate
        .as_ref()
        .map(|certificate| plain.encrypting(certificate));
    let encrypted = encrypted.transpose()?;
    if encrypted.is_some() && !listeners.iter().any(|(address, _)| address.is_https()) {
        tracing::warn!(
            "server.tls_certificate_file has no effect: no address begins with https://"
        );
    }
    for (place, (address, listener)) in listeners.into_iter().enumerate() {
        let (state, ending) = (state.clone(), ending.clone());
        let http = move || http_service(&state, &ending, operations);
        let name = format!("http-{place}");
        let acceptor = match (&encrypted, address.is_https()) {
            (_, false) => plain.clone(),
            (Some(encrypted), true) => encrypted.clone(),
            (None, true) => anyhow::bail!("{address} needs a certificate"),
        };
        server = match listener {
            Listener::Tcp(listener) => server.listen(name, listener, move || {
                let acceptor = acceptor.clone();
                let accept = fn_service(move |stream| acceptor.clone().accept(stream));
                accept.and_then(http())
            })?,
            #[cfg(unix)]
            Listener::Unix(listener) => server.listen_uds(name, listener, move || {
                let acceptor = acceptor.clone();
                let accept = fn_service(move |stream| ready(Ok(acceptor.accept_unix(stream))));
                accept.and_then(http())
            })?,
        };
    }
    Ok(server.run())
}

/// Service that reads requests from connections and answers them.
fn http_service(
    state: &web::Data<AppState>,
    ending: &GracefulShutdownSignal,
    operations: Operations,
) -> impl ServiceFactory<
    AcceptedConnection,
    Config = (),
    Response = (),
    Error = DispatchError,
    InitError = (),
> + use<> {
    let app = application(state.clone(), operations).into_factory();
    let app = app.map_err(|error| error.error_response());
    let ending = ending.clone();
    HttpService::build()
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
        .finish(map_config(app, |()| AppConfig::default()))
}

/// Once the server begins to stop, tells the service manager, and ends all streams, because the server waits for running
/// responses.
fn announce_end(ending: GracefulShutdownSignal, feed: Arc<FeedWatch>) {
    actix_web::rt::spawn(async move {
        ending.notified().await;
        service_manager::stopping();
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
    let app = App::new()
        .app_data(state)
        .app_data(WakeBatch::start())
        .app_data(StreamReader::default())
        .wrap_fn(|request, next| {
            let state = request.app_data::<web::Data<AppState>>();
            let client = state.and_then(|state| client_address(request.request(), state));
            from_client(client, fold(request, |request| next.call(request)))
        });
    #[cfg(feature = "traces")]
    let app = app.wrap(from_fn(crate::traces::trace));
    app.wrap(from_fn(observe::<AppState>))
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
