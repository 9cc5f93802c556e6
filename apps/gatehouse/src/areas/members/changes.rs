//! Adding, changing and removing members.

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::{ParamReader, Params};
use api_conventions::time::CalendarDate;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::members::{ListedMember, NamedUser, add_named, with_user};
use projects::flow::members::{
    Acting, AddMember, MemberEdit, MemberError, MembersOf, RemoveMember, remove_member,
    update_member,
};
use serde_json::{Map, Value};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, Operation, Parameter, delete, post, put,
};

use super::json::{AddedJson, MemberJson};
use super::place::{HasMembers, TAG, USER, acting, refused};
use crate::frame::group::Groups;
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{Guest, Write};

/// Maximum number of users that one request adds.
const MOST_USERS: usize = 100;

pub(super) const LEVEL: Parameter = Parameter::body(
    "access_level",
    Kind::Number(&AccessLevel::NUMBERS),
    "The role: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner.",
);
pub(super) const EXPIRES: Parameter = Parameter::body(
    "expires_at",
    Kind::Date,
    "The first day on which it no longer holds, after today. Empty for none.",
);
const USER_ID: Parameter = Parameter::body(
    "user_id",
    Kind::Numbers,
    "The id of the user, or several: as an array or separated by commas.",
);
const USERNAME: Parameter = Parameter::body(
    "username",
    Kind::ANY_TEXT,
    "The username, where no id is given.",
);
const SKIP: Parameter = Parameter::query(
    "skip_subresources",
    Kind::Boolean,
    "Whether the roles stay that the user was given in what is below a group.",
);
const UNASSIGN: Parameter = Parameter::query(
    "unassign_issuables",
    Kind::False,
    "Whether the user is taken off issues. Not built yet.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        of::<Projects>([
            post(
                "addProjectMember",
                "/api/v4/projects/{id}/members",
                add::<Projects>,
            ),
            put(
                "updateProjectMember",
                "/api/v4/projects/{id}/members/{user_id}",
                update::<Projects>,
            ),
            delete(
                "removeProjectMember",
                "/api/v4/projects/{id}/members/{user_id}",
                remove::<Projects>,
            ),
        ]),
        of::<Groups>([
            post(
                "addGroupMember",
                "/api/v4/groups/{id}/members",
                add::<Groups>,
            ),
            put(
                "updateGroupMember",
                "/api/v4/groups/{id}/members/{user_id}",
                update::<Groups>,
            ),
            delete(
                "removeGroupMember",
                "/api/v4/groups/{id}/members/{user_id}",
                remove::<Groups>,
            ),
        ]),
    ]
    .concat()
}

fn of<P: HasMembers>([add, update, remove]: [Operation; 3]) -> Vec<Operation> {
    vec![
        add.documented(TAG, "Add a member, or several")
            .takes([P::PARAMETER, USER_ID, USERNAME, LEVEL.required(), EXPIRES])
            .answers(Answer::json::<Added>(
                201,
                "The member; for several what came of it.",
            ))
            .answers(Answer::refusal(409, "The user has a role here already.")),
        update
            .documented(TAG, "Change the role of a member")
            .takes([P::PARAMETER, USER, LEVEL.required(), EXPIRES])
            .answers(Answer::json::<MemberJson>(200, "The member as it is now.")),
        remove
            .documented(TAG, "Remove a member, or leave")
            .takes([P::PARAMETER, USER, SKIP, UNASSIGN])
            .answers(Answer::empty(204, "The role is gone.")),
    ]
}

/// A member, or the outcome for several users.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Added {
    One(Box<MemberJson>),
    Several(AddedJson),
}

/// Users to add, their role, and its expiry date.
struct Wanted {
    users: Vec<NamedUser>,
    is_list: bool,
    level: AccessLevel,
    expires_on: Option<CalendarDate>,
}

async fn add<P: HasMembers>(asked: In<P, P::Manager, Write>) -> Result<HttpResponse, Failure> {
    let wanted = read_wanted(asked.params())?;
    let is_list = wanted.is_list;
    let acting = acting(asked.viewer(), &asked);
    let done = asked.manage(move |tx, place, _| wanted.add(tx, P::members(&place), acting));
    let mut done = done.await?;
    let added = match done.pop() {
        Some((_, outcome)) if !is_list => {
            let listed = outcome.map_err(refused)?;
            Added::One(Box::new(MemberJson::new(&listed, asked.base_url())))
        }
        last => Added::Several(summary(done.into_iter().chain(last))),
    };
    Ok(HttpResponse::Created().json(added))
}

/// Outcome of adding one user.
type Outcome = (NamedUser, Result<ListedMember, MemberError>);

impl Wanted {
    /// Adds one user after the other.
    /// A refused user does not prevent the others from being added, but a failure of the store does.
    fn add(
        &self,
        tx: &mut (dyn WriteTransaction + '_),
        of: MembersOf,
        acting: Acting,
    ) -> Result<Vec<Outcome>, Failure> {
        let mut done = Vec::with_capacity(self.users.len());
        for user in &self.users {
            let new = |user_id| AddMember {
                user_id,
                level: self.level,
                expires_on: self.expires_on,
            };
            match add_named(tx, of, user, new, acting) {
                Err(MemberError::Store(error)) => return Err(error.into()),
                outcome => done.push((user.clone(), outcome)),
            }
        }
        Ok(done)
    }
}

/// Summarizes the outcomes for several users.
fn summary(done: impl Iterator<Item = Outcome>) -> AddedJson {
    let mut message = Map::new();
    for (user, outcome) in done {
        let Err(error) = outcome else { continue };
        let name = match user {
            NamedUser::Id(id) => id.to_string(),
            NamedUser::Username(name) => name,
        };
        message.insert(name, Value::String(ApiError::from(error).sentence()));
    }
    if message.is_empty() {
        return AddedJson {
            status: "success",
            message: None,
        };
    }
    AddedJson {
        status: "error",
        message: Some(message),
    }
}

fn read_wanted(params: &Params) -> Result<Wanted, ApiError> {
    let mut read = params.reader();
    let ids = read.words(USER_ID.name, |text| text.parse().ok().map(UserId::new));
    let username = read.text(USERNAME.name).filter(|name| !name.is_empty());
    if ids.is_empty() && username.is_none() {
        read.demand(&[USER_ID.name]);
    }
    if ids.len() > MOST_USERS {
        read.fault(USER_ID.name, "has too many values");
    }
    let level = read_level(&mut read, LEVEL.name);
    let level = read.required(LEVEL.name, level);
    let expires_on = read.date(EXPIRES.name);
    read.finish()?;
    let is_list = ids.len() > 1 || params.get(USER_ID.name).is_some_and(Value::is_array);
    let by_id = ids.into_iter().map(NamedUser::Id);
    let mut users: Vec<NamedUser> = by_id.collect();
    if users.is_empty() {
        users.extend(username.map(NamedUser::Username));
    }
    Ok(Wanted {
        users,
        is_list,
        level: level.value()?,
        expires_on,
    })
}

/// Reads a role by its number.
pub(super) fn read_level(read: &mut ParamReader<'_>, name: &str) -> Option<AccessLevel> {
    read.word(name, |text| AccessLevel::from_number(text.parse().ok()?))
}

async fn update<P: HasMembers>(asked: In<P, P::Manager, Write>) -> Result<HttpResponse, Failure> {
    let user_id = UserId::new(asked.number(USER.name, "Member")?);
    let mut read = asked.params().reader();
    let level = read_level(&mut read, LEVEL.name);
    let level = read.required(LEVEL.name, level);
    let day = read.date(EXPIRES.name);
    let expires_on = read.is_given(EXPIRES.name).then_some(day);
    read.finish()?;
    let edit = MemberEdit {
        user_id,
        level: level.value()?,
        expires_on,
    };
    let acting = acting(asked.viewer(), &asked);
    let changed = asked.manage(move |tx, place, _| {
        let member = update_member(tx, P::members(&place), &edit, acting).map_err(refused)?;
        Ok(with_user(tx, member)?)
    });
    let listed = changed.await?;
    asked.json(&MemberJson::new(&listed, asked.base_url()))
}

/// Removes a member.
/// Every member may leave, so the flow checks the role of callers who remove others.
async fn remove<P: HasMembers>(asked: In<P, Guest, Write>) -> Result<Deletion, Failure> {
    let user_id = UserId::new(asked.number(USER.name, "Member")?);
    let mut read = asked.params().reader();
    let skips_subresources = read.boolean(SKIP.name).unwrap_or_default();
    if read.boolean(UNASSIGN.name) == Some(true) {
        read.fault(UNASSIGN.name, "does not have a valid value");
    }
    read.finish()?;
    let remove = RemoveMember {
        user_id,
        skips_subresources,
    };
    let (acting, condition) = (acting(asked.viewer(), &asked), asked.precondition());
    let removed = asked.manage(move |tx, place, _| {
        let removed = remove_member(tx, P::members(&place), remove, acting).map_err(refused)?;
        // Nothing records when a role was changed, so the precondition checks when it was given.
        Ok(condition.check(removed.created_at)?)
    });
    Ok(Deletion::no_content(removed.await?))
}
