//! Git behind nginx, with the blocks of `docs/git.md` (`AUTH-06`, `AUTH-07`): clone and push, refused pushes, revoked
//! tokens, wrong guesses, and pushes in the feed.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::rows::number;
use crate::support::{TestServer, eventually, outside};

/// Hundred wrong tokens, the default limit of an address.
const WRONG: usize = 100;

/// Programs of Debian that serve repositories.
struct GitPrograms {
    nginx: PathBuf,
    fcgiwrap: PathBuf,
    backend: PathBuf,
}

impl GitPrograms {
    fn find() -> Option<Self> {
        Some(Self {
            nginx: outside::find("GATEHOUSE_TEST_NGINX", &["/usr/sbin/nginx"])?,
            fcgiwrap: outside::find("GATEHOUSE_TEST_FCGIWRAP", &["/usr/sbin/fcgiwrap"])?,
            backend: outside::find(
                "GATEHOUSE_TEST_GIT_BACKEND",
                &["/usr/lib/git-core/git-http-backend"],
            )?,
        })
    }
}

/// The first block of a language in the guide.
fn block(language: &str, beginning: &str) -> String {
    // Cargo runs tests in the directory of their package.
    let document = fs::read_to_string("../../docs/git.md").unwrap();
    let fence = format!("```{language}\n");
    let mut blocks = document.split(&fence).skip(1);
    let found = blocks.find(|block| block.starts_with(beginning)).unwrap();
    found.split("```").next().unwrap().to_owned()
}

/// nginx and fcgiwrap, ended when dropped.
struct GitHost {
    processes: Vec<Child>,
    directory: TempDir,
    address: String,
}

impl Drop for GitHost {
    fn drop(&mut self) {
        for process in &mut self.processes {
            if process.try_wait().unwrap().is_none() {
                crate::support::terminate(process.id());
            }
            let _ = process.wait();
        }
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

impl GitHost {
    /// Starts the host of the repository of the demo's project.
    fn start(programs: &GitPrograms, server: &TestServer) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let socket = place.join("cgi.socket");
        let mut cgi = Command::new(&programs.fcgiwrap);
        cgi.arg("-s").arg(format!("unix:{}", socket.display()));
        let mut processes = vec![quiet(&mut cgi).spawn().unwrap()];
        eventually("fcgiwrap is up", || UnixStream::connect(&socket).ok());
        let block = block("nginx", "server {")
            .replace("127.0.0.1:8080", &server.address())
            .replace("/srv/git", &place.display().to_string())
            .replace("/run/fcgiwrap.socket", &socket.display().to_string())
            .replace(
                "/usr/lib/git-core/git-http-backend",
                &programs.backend.display().to_string(),
            );
        // nginx cannot choose a free port and report it. Another process may take the port that was free.
        let started = (0..5).find_map(|_| Self::start_nginx(&programs.nginx, place, &block));
        let (nginx, address) = started.expect("nginx takes its configuration");
        processes.push(nginx);
        Self {
            processes,
            directory,
            address,
        }
    }

    fn start_nginx(program: &Path, place: &Path, block: &str) -> Option<(Child, String)> {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let block = block.replace("listen 80;", &format!("listen {address};"));
        let block = block.replace(
            "include fastcgi_params;",
            "include /etc/nginx/fastcgi_params;",
        );
        let shown = place.display();
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {shown}/{name};\n"))
            .concat();
        let configuration = format!(
            "user root root;\ndaemon off;\npid {shown}/pid;\nerror_log {shown}/error.log;\nevents {{}}\n\
             http {{\naccess_log off;\n{paths}{block}}}\n"
        );
        fs::write(place.join("conf"), configuration).unwrap();
        let mut nginx = Command::new(program);
        nginx.arg("-p").arg(place).arg("-c").arg(place.join("conf"));
        nginx.arg("-e").arg(place.join("error.log"));
        let mut process = quiet(&mut nginx).spawn().unwrap();
        let is_up = eventually("nginx is up", || {
            if process.try_wait().unwrap().is_some() {
                return Some(false);
            }
            std::net::TcpStream::connect(&address)
                .is_ok()
                .then_some(true)
        });
        is_up.then_some((process, address))
    }

    /// Creates the bare repository of a project, with the hook of the guide.
    fn create_repository(&self, server: &TestServer, token: &str) {
        let repository = self
            .directory
            .path()
            .join(format!("{}.git", server.project()));
        let created = git(
            self.directory.path(),
            &["init", "--bare", &repository.display().to_string()],
        );
        assert!(created.status.success(), "{created:?}");
        let file = self.directory.path().join("push-token");
        fs::write(&file, format!("PRIVATE-TOKEN: {token}\n")).unwrap();
        let hook = block("sh", "#!/bin/sh")
            .replace("https://gatehouse.example.com", server.base_url())
            .replace("/etc/gatehouse/push-token", &file.display().to_string());
        let path = repository.join("hooks/post-receive");
        fs::write(&path, hook).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The URL of a repository with credentials.
    fn url(&self, credentials: &str, project: &str) -> String {
        let at = if credentials.is_empty() { "" } else { "@" };
        format!("http://{credentials}{at}{}/{project}.git", self.address)
    }

    /// Clones a repository into a new directory, and returns Git's output.
    fn clone(&self, name: &str, url: &str) -> Output {
        git(self.directory.path(), &["clone", "--quiet", url, name])
    }
}

/// Runs Git in a directory, without the configuration of the machine.
fn git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(["-c", "init.defaultBranch=main", "-c", "user.name=Ann"])
        .args([
            "-c",
            "user.email=ann@example.com",
            "-c",
            "credential.helper=",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .unwrap()
}

#[track_caller]
fn assert_done(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[track_caller]
fn assert_refused(output: &Output, reason: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains(reason), "{text}");
}

/// Commits a file in a clone.
fn commit(clone: &Path, text: &str) {
    fs::write(clone.join("file"), text).unwrap();
    assert_done(&git(clone, &["add", "file"]));
    assert_done(&git(clone, &["commit", "--quiet", "--message", text]));
}

fn deploy_token(server: &TestServer) -> (Value, String) {
    let path = server.below_project("/deploy_tokens");
    let fields = json!({ "name": "host", "scopes": ["read_repository"] });
    let token = server.admin().post(&path, &fields).expect(201);
    let text = |name: &str| token[name].as_str().unwrap().to_owned();
    let credentials = format!("{}:{}", text("username"), text("token"));
    (token["id"].clone(), credentials)
}

#[test]
fn git_clones_and_pushes_behind_nginx() {
    let Some(programs) = GitPrograms::find() else {
        return;
    };
    let server = TestServer::start_configured("[server]\ntrusted_proxies = \"127.0.0.1\"\n");
    let host = GitHost::start(&programs, &server);
    host.create_repository(&server, &server.token("root", "write_repository"));
    let project = server.text("/project/path").to_owned();
    let writer = server.token("dev", "write_repository");
    let reader = server.token("dev", "read_repository");
    let oauth2 = |token: &str| format!("oauth2:{token}");
    let place = host.directory.path();

    // The developer clones, commits and pushes; the push is in the feed, by the developer.
    assert_done(&host.clone("work", &host.url(&oauth2(&writer), &project)));
    let work = place.join("work");
    commit(&work, "First commit");
    assert_done(&git(&work, &["push", "--quiet", "origin", "HEAD:main"]));
    commit(&work, "Second commit");
    assert_done(&git(&work, &["push", "--quiet", "origin", "HEAD:main"]));
    let pushes = "/events?action=pushed";
    let events = server
        .developer()
        .get(&server.below_project(pushes))
        .expect(200);
    let shown = |event: &Value| {
        let push = &event["push_data"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        [
            &event["action_name"],
            &event["author_username"],
            &push["ref"],
            &push["commit_title"],
        ]
        .map(text)
    };
    assert_eq!(
        [shown(&events[0]), shown(&events[1])],
        [
            ["pushed to", "dev", "main", "Second commit"].map(str::to_owned),
            ["pushed new", "dev", "main", "First commit"].map(str::to_owned),
        ]
    );
    assert_eq!(events[0]["push_data"]["commit_count"], json!(1));

    // A token that only reads clones and does not push.
    assert_done(&host.clone("read", &host.url(&oauth2(&reader), &project)));
    let read = place.join("read");
    assert_eq!(
        fs::read_to_string(read.join("file")).unwrap(),
        "Second commit"
    );
    commit(&read, "Third commit");
    assert_refused(&git(&read, &["push", "origin", "HEAD:main"]), "403");

    // A deploy token clones until it is deleted, and never pushes.
    let (id, credentials) = deploy_token(&server);
    let url = host.url(&credentials, &project);
    assert_done(&host.clone("deployed", &url));
    let deployed = place.join("deployed");
    commit(&deployed, "Fourth commit");
    assert_refused(&git(&deployed, &["push", "origin", "HEAD:main"]), "403");
    let one = server.below_project(&format!("/deploy_tokens/{id}"));
    assert_eq!(server.admin().delete(&one).status, 204);
    assert_refused(&host.clone("late", &url), "Authentication failed");

    // Without credentials, with a wrong username, for an unknown project.
    assert_refused(
        &host.clone("none", &host.url("", &project)),
        "could not read Username",
    );
    let wrong_name = host.url(&format!("dev:{reader}"), &project);
    assert_refused(&host.clone("named", &wrong_name), "Authentication failed");
    let unknown = host.url(&oauth2(&reader), "acme/none");
    assert_refused(&host.clone("unknown", &unknown), "403");

    // A revoked token ends at once.
    let own = "/api/v4/personal_access_tokens/self";
    let full = server.token("dev", "api,write_repository");
    let url = host.url(&oauth2(&full), &project);
    assert_done(&git(place, &["ls-remote", &url]));
    let holder = crate::support::TestCaller::new(server.base_url(), Some(&full));
    assert_eq!(holder.delete(own).status, 204);
    assert_refused(&git(place, &["ls-remote", &url]), "Authentication failed");

    // Hundred wrong tokens, two of which were sent above with wrong credentials: then even a valid token waits.
    let wrong = host.url("oauth2:ghat_wrong", &project);
    let counted = || {
        number(
            &server,
            "SELECT coalesce(max(failures), 0) FROM sign_in_failures",
        )
    };
    while usize::try_from(counted()).unwrap() < WRONG {
        let output = git(place, &["ls-remote", &wrong]);
        assert!(!output.status.success());
    }
    assert_refused(&git(place, &["ls-remote", &wrong]), "403");
    let valid = host.url(&oauth2(&reader), &project);
    assert_refused(&git(place, &["ls-remote", &valid]), "403");
}
