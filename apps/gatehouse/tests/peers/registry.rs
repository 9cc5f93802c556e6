//! Debian's container registry with the blocks of `docs/registry.md` (`OAUTH-15`): push and pull with skopeo, refused
//! tokens, and tags that the API lists and deletes.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::{TestCaller, TestServer, eventually, outside};

/// The first block of a language in the guide.
fn block(language: &str) -> String {
    // Cargo runs tests in the directory of their package.
    let document = fs::read_to_string("../../docs/registry.md").unwrap();
    let fence = format!("```{language}\n");
    let found = document.split(&fence).nth(1).unwrap();
    found.split("```").next().unwrap().to_owned()
}

/// A free address. Another process may take it before its user does.
fn free_address() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().to_string()
}

/// The registry, ended when dropped.
struct RegistryProcess(Child);

impl Drop for RegistryProcess {
    fn drop(&mut self) {
        if self.0.try_wait().unwrap().is_none() {
            crate::support::terminate(self.0.id());
        }
        let _ = self.0.wait();
    }
}

/// A server and a registry that trusts it.
struct ImageHost {
    server: TestServer,
    _registry: RegistryProcess,
    directory: TempDir,
    address: String,
    skopeo: PathBuf,
}

impl ImageHost {
    fn start() -> Option<Self> {
        let registry = outside::find("GATEHOUSE_TEST_REGISTRY", &["/usr/bin/docker-registry"])?;
        let skopeo = outside::find("GATEHOUSE_TEST_SKOPEO", &["/usr/bin/skopeo"])?;
        // A registry cannot choose a free port and report it.
        let started = (0..5).find_map(|_| Self::try_start(&registry, skopeo.clone()));
        Some(started.expect("the registry takes its configuration"))
    }

    fn try_start(registry: &Path, skopeo: PathBuf) -> Option<Self> {
        let address = free_address();
        let settings = block("toml").replace("127.0.0.1:5000", &address);
        let settings = settings.replace("registry.example.com", &address);
        let server = TestServer::start_configured(&settings);
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let certificate = server.command(&["registry-certificate"]);
        assert!(certificate.status.success(), "{certificate:?}");
        let file = place.join("gatehouse.pem");
        fs::write(&file, certificate.stdout).unwrap();
        let configuration = block("yaml")
            .replace("127.0.0.1:5000", &address)
            .replace("https://gatehouse.example.com", server.base_url())
            .replace(
                "/etc/docker/registry/gatehouse.pem",
                &file.display().to_string(),
            )
            .replace(
                "/var/lib/docker-registry",
                &place.join("images").display().to_string(),
            );
        fs::write(place.join("config.yml"), configuration).unwrap();
        let mut command = Command::new(registry);
        command.arg("serve").arg(place.join("config.yml"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut process = RegistryProcess(command.spawn().unwrap());
        let is_up = eventually("the registry is up", || {
            if process.0.try_wait().unwrap().is_some() {
                return Some(false);
            }
            TcpStream::connect(&address).is_ok().then_some(true)
        });
        is_up.then_some(Self {
            server,
            _registry: process,
            directory,
            address,
            skopeo,
        })
    }

    /// Copies an image with skopeo. The credentials are for the registry, on whichever side it is.
    fn copy(&self, side: &str, credentials: &str, from: &str, to: &str) -> Output {
        let mut skopeo = Command::new(&self.skopeo);
        skopeo.args(["--insecure-policy", "copy", "--quiet"]);
        skopeo.arg(format!("--{side}-tls-verify=false"));
        if credentials.is_empty() {
            skopeo.arg(format!("--{side}-no-creds"));
        } else {
            skopeo.arg(format!("--{side}-creds={credentials}"));
        }
        skopeo.args([from, to]);
        skopeo.env("HOME", self.directory.path());
        skopeo.output().unwrap()
    }

    fn push(&self, credentials: &str, image: &str) -> Output {
        let from = format!("oci:{}", self.directory.path().join("layout").display());
        let to = format!("docker://{}/{image}", self.address);
        self.copy("dest", credentials, &from, &to)
    }

    fn pull(&self, credentials: &str, image: &str, name: &str) -> Output {
        let from = format!("docker://{}/{image}", self.address);
        let to = format!("oci:{}", self.directory.path().join(name).display());
        self.copy("src", credentials, &from, &to)
    }

    /// Writes a small image as an OCI layout.
    fn write_image(&self) {
        let layout = self.directory.path().join("layout");
        let blobs = layout.join("blobs/sha256");
        fs::create_dir_all(&blobs).unwrap();
        let put = |media_type: &str, bytes: &[u8]| {
            let digest = Sha256::digest(bytes);
            let hex = digest.iter().map(|byte| format!("{byte:02x}"));
            let hex = hex.collect::<Vec<_>>().concat();
            fs::write(blobs.join(&hex), bytes).unwrap();
            json!({ "mediaType": media_type, "digest": format!("sha256:{hex}"), "size": bytes.len() })
        };
        // An empty archive ends with two blocks of zeros.
        let layer = put("application/vnd.oci.image.layer.v1.tar", &[0; 1024]);
        let config = json!({
            "architecture": "amd64", "os": "linux", "created": "2026-01-02T03:04:05Z", "config": {},
            "rootfs": { "type": "layers", "diff_ids": [layer["digest"]] },
        });
        let config = put(
            "application/vnd.oci.image.config.v1+json",
            config.to_string().as_bytes(),
        );
        let kind = "application/vnd.oci.image.manifest.v1+json";
        let manifest =
            json!({ "schemaVersion": 2, "mediaType": kind, "config": config, "layers": [layer] });
        let manifest = put(kind, manifest.to_string().as_bytes());
        let index = json!({ "schemaVersion": 2, "manifests": [manifest] });
        fs::write(layout.join("index.json"), index.to_string()).unwrap();
        fs::write(
            layout.join("oci-layout"),
            r#"{"imageLayoutVersion":"1.0.0"}"#,
        )
        .unwrap();
    }
}

#[track_caller]
fn assert_done(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[track_caller]
fn assert_refused(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    let is_denied = ["denied", "unauthorized", "invalid username/password"];
    let is_denied = is_denied.iter().any(|word| text.contains(word));
    assert!(!output.status.success() && is_denied, "{text}");
}

/// OAUTH-15.
#[test]
fn skopeo_pushes_and_pulls_with_tokens_of_the_server() {
    let Some(host) = ImageHost::start() else {
        return;
    };
    host.write_image();
    let server = &host.server;
    let project = server.text("/project/path").to_owned();
    let image = format!("{project}:1.0");
    let token = server.token("dev", "read_registry,write_registry");
    let developer = format!("dev:{token}");

    assert_refused(&host.push("", &image));
    assert_refused(&host.push("dev:ghat_wrong", &image));
    assert_done(&host.push(&developer, &image));
    for more in [
        format!("{project}:2.0"),
        format!("{project}:3.0"),
        format!("{project}/worker:1.0"),
    ] {
        assert_done(&host.push(&developer, &more));
    }
    assert_done(&host.pull(&developer, &image, "pulled"));
    assert_refused(&host.push(&developer, "dev/none:1.0"));

    let fields = json!({ "name": "host", "scopes": ["read_registry"] });
    let path = server.below_project("/deploy_tokens");
    let deploy = server.admin().post(&path, &fields).expect(201);
    let text = |name: &str| deploy[name].as_str().unwrap().to_owned();
    let deploy = format!("{}:{}", text("username"), text("token"));
    assert_done(&host.pull(&deploy, &image, "deployed"));
    assert_refused(&host.push(&deploy, &image));

    // A token of an application is refused by the registry, and lists and deletes through the API.
    let application = server.relying_party_with("CI", "api");
    let oauth = application.tokens(&mut server.signed_in("admin")).access;
    for username in ["oauth2", "dev"] {
        assert_refused(&host.pull(&format!("{username}:{oauth}"), &image, "never"));
    }
    let api = TestCaller::bearer(server.base_url(), &oauth);
    let repositories = server.below_project("/registry/repositories");
    let listed = api.get(&format!("{repositories}?tags_count=true")).list();
    let counts: Vec<(&Value, &Value)> = listed
        .iter()
        .map(|it| (&it["path"], &it["tags_count"]))
        .collect();
    let worker = json!(format!("{project}/worker"));
    assert_eq!(counts, [(&json!(project), &json!(3)), (&worker, &json!(1))]);
    let tags = format!("{repositories}/{}/tags", listed[0]["id"]);
    let detail = api.get(&format!("{tags}/1.0")).expect(200);
    assert_eq!(detail["created_at"], "2026-01-02T03:04:05.000Z");
    // The tags are of one image, and the other two stay.
    assert_eq!(api.delete(&format!("{tags}/2.0")).status, 204);
    let names: Vec<Value> = api
        .get(&tags)
        .list()
        .iter()
        .map(|tag| tag["name"].clone())
        .collect();
    assert_eq!(names, ["1.0", "3.0"]);
    assert_done(&host.pull(&developer, &image, "again"));

    assert_refused(&host.pull("", &image, "never"));
    let public = json!({ "visibility": "public" });
    let groups = format!("/api/v4/groups/{}", project.split('/').next().unwrap());
    server.admin().put(&groups, &public).expect(200);
    server
        .admin()
        .put(&server.below_project(""), &public)
        .expect(200);
    assert_done(&host.pull("", &image, "anonymous"));
    assert_refused(&host.push("", &image));

    server.revoke_from_outside(&token);
    let revoked = || !host.pull(&developer, &image, "revoked").status.success();
    eventually("the token is revoked", || revoked().then_some(()));
    // A job deletes all tags but one.
    let rule = "name_regex_delete=.*&name_regex_keep=3[.]0";
    assert_eq!(api.delete(&format!("{tags}?{rule}")).status, 202);
    eventually("the job deletes the other tag", || {
        let left = api.get(&tags).list();
        (left.len() == 1 && left[0]["name"] == "3.0").then_some(())
    });
    assert!(!host.pull("", &image, "deleted").status.success());
    let one = format!("{repositories}/{}", listed[0]["id"]);
    assert_eq!(api.delete(&one).status, 204);
    let last = format!("{project}:3.0");
    assert!(!host.pull("", &last, "deleted").status.success());
    assert_eq!(api.get(&repositories).list().len(), 1);
}
