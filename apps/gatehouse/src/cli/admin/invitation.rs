//! `gatehouse invitation …`: creates, lists and revokes invitations to register.

use accounts::flow::invitations::{
    CreateInvitation, CreateInvitationError, DEFAULT_DAYS, InvitationActor, create_invitation,
    revoke_invitation,
};
use accounts::model::INVITATION_PREFIX;
use api_conventions::ids::InvitationId;
use api_conventions::page::OffsetPage;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Clock as _;
use clap::{Args, Subcommand};
use serde_json::json;
use storage::{Lane, StoreError};

use crate::cli::output;
use crate::config::Overrides;
use crate::frame::return_to::INVITATIONS;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::flows::invitations::{ListedInvitation, list_invitations};
use gatehouse_core::randomness::OsRandomness;

/// Invitations that one command lists.
const LISTED: u64 = 100;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum InvitationCommand {
    /// Create an invitation; prints its link only this once. The first person who registers with it uses it up.
    Create(CreateInvitationFlags),
    /// List the newest open invitations.
    List(ListInvitationsFlags),
    /// Revoke an invitation that was not used.
    Revoke(RevokeInvitationFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CreateInvitationFlags {
    /// Email address that the form suggests.
    #[arg(long)]
    email: Option<String>,
    /// Username that the form suggests.
    #[arg(long)]
    username: Option<String>,
    /// Days for which the link works (1 to 30).
    #[arg(long, default_value_t = DEFAULT_DAYS)]
    days: i64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ListInvitationsFlags {
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RevokeInvitationFlags {
    /// Id of the invitation.
    id: i64,
}

/// Runs `gatehouse invitation …`.
pub(in crate::cli) fn invitation(
    overrides: &Overrides,
    command: InvitationCommand,
) -> anyhow::Result<()> {
    match command {
        InvitationCommand::Create(flags) => create(overrides, flags),
        InvitationCommand::List(flags) => list(overrides, &flags),
        InvitationCommand::Revoke(flags) => revoke(overrides, &flags),
    }
}

fn create(overrides: &Overrides, flags: CreateInvitationFlags) -> anyhow::Result<()> {
    let (settings, database) = super::open(overrides)?;
    let secret = PlainSecret::generate(INVITATION_PREFIX, &OsRandomness);
    let mut request = CreateInvitation::new(None, secret.digest(), SystemClock.now());
    request.email = flags.email;
    request.username = flags.username;
    request.days = flags.days;
    let created = super::write(&database, move |tx| match create_invitation(tx, &request) {
        Ok(invitation) => Ok(Ok(invitation)),
        Err(CreateInvitationError::Store(error)) => Err(error),
        Err(refused) => Ok(Err(refused.to_string())),
    });
    database.close();
    let invitation = created?.map_err(anyhow::Error::msg)?;
    let base_url = settings.server.base_url(&settings.server.listen);
    let link = format!("{base_url}{INVITATIONS}/{}", secret.reveal());
    let expires_at = invitation.expires_at.to_string();
    if flags.json {
        return output::json(&json!({
            "id": invitation.id,
            "link": link,
            "expires_at": expires_at,
        }));
    }
    output::table(&[
        ("id", invitation.id.to_string()),
        ("link", link),
        ("expires at", expires_at),
    ]);
    Ok(())
}

fn list(overrides: &Overrides, flags: &ListInvitationsFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let listed = database.read(Lane::Shared, |tx| {
        list_invitations(tx, OffsetPage::new(1, LISTED))
    });
    let listed: Result<_, StoreError> = listed.wait();
    database.close();
    for item in listed?.items {
        let ListedInvitation {
            invitation,
            creator,
            place,
        } = item;
        if flags.json {
            output::json(&json!({
                "id": invitation.id,
                "username": invitation.username,
                "email": invitation.email,
                "created_by": creator,
                "place": place,
                "expires_at": invitation.expires_at.to_string(),
            }))?;
            continue;
        }
        let expires_at = invitation.expires_at.to_string();
        let suggested = invitation.username.or(invitation.email);
        output::line(&format!(
            "{} {expires_at} {}",
            invitation.id,
            suggested.unwrap_or_default()
        ));
    }
    Ok(())
}

fn revoke(overrides: &Overrides, flags: &RevokeInvitationFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let id = InvitationId::new(flags.id);
    let by = InvitationActor {
        id: None,
        now: SystemClock.now(),
    };
    let revoked = super::write(&database, move |tx| revoke_invitation(tx, id, by));
    database.close();
    anyhow::ensure!(
        revoked?,
        "there is no open invitation with this id; run gatehouse invitation list"
    );
    output::line("revoked");
    Ok(())
}
