//! Unix sockets with a path.

use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use tokio::net::UnixSocket;

use crate::config::ListenAddress;

/// Permissions of a socket: its owner and group may connect.
const MODE: u32 = 0o660;

/// Path of a bound socket. The file is removed when this is dropped, unless another one has replaced it.
#[derive(Debug)]
pub(super) struct UnixSocketFile {
    path: PathBuf,
    inode: u64,
}

/// Binds a socket to a path. A socket there that no process listens at is replaced.
///
/// # Errors
/// If a process listens at the path, or if it is something other than a socket.
pub(super) fn bind(path: &Path) -> io::Result<(UnixSocket, UnixSocketFile)> {
    remove_unused(path)?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    std::fs::set_permissions(path, PermissionsExt::from_mode(MODE))?;
    let file = UnixSocketFile {
        path: path.to_owned(),
        inode: std::fs::metadata(path)?.ino(),
    };
    Ok((socket, file))
}

impl Drop for UnixSocketFile {
    fn drop(&mut self) {
        let is_own = std::fs::metadata(&self.path).is_ok_and(|found| found.ino() == self.inode);
        if is_own && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), error = %error, "cannot remove the socket");
        }
    }
}

/// Removes a socket that no process listens at.
fn remove_unused(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {}
        Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => Err(ErrorKind::AddrInUse.into()),
    }
}

/// Address of an inherited socket.
pub(super) fn address_of(listener: &UnixListener) -> ListenAddress {
    let address = listener.local_addr().ok();
    let path = address.as_ref().and_then(|address| address.as_pathname());
    ListenAddress::Unix(path.unwrap_or(Path::new("")).to_owned())
}
