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
    AddMember, MemberActor, MemberContext, MemberEdit, MemberError, RemoveMember, remove_member,
    update_member,
};
use serde_json::{Map, Value};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete, post, put,
};

use super::json::{AddedJson, MemberJson};
use super::place::{HasMembers, TAG, USER, member_actor, refused};
use crate::config::RequestLimit;
use crate::frame::group::Groups;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{Guest, WriteApi};

/// Maximum number of users that one request adds.
const MAX_USERS: usize = 100;

pub(super) const LEVEL: Parameter = Parameter::body(
    "access_level",
    ParameterKind::Number(&AccessLevel::NUMBERS),
    "The role: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner.",
);
pub(super) const EXPIRES: Parameter = Parameter::body(
    "expires_at",
    ParameterKind::Date,
    "Day on which access ends, after today. Leave empty for no expiry.",
);
const USER_ID: Parameter = Parameter::body(
    "user_id",
    ParameterKind::Numbers,
    "Id of the user, or several ids as an array or separated by commas.",
);
const USERNAME: Parameter = Parameter::body(
    "username",
    ParameterKind::ANY_TEXT,
    "Username, if no id is given.",
);
const SKIP: Parameter = Parameter::query(
    "skip_subresources",
    ParameterKind::Boolean,
    "Keep the roles of the user in subgroups and projects.",
);
const UNASSIGN: Parameter = Parameter::query(
    "unassign_issuables",
    ParameterKind::False,
    "Only `false` is accepted: unassigning issues is not supported.",
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
            )
            .limited_by(RequestLimit::MemberDeletion),
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
            )
            .limited_by(RequestLimit::MemberDeletion),
        ]),
    ]
    .concat()
}

fn of<P: HasMembers>([add, update, remove]: [Operation; 3]) -> Vec<Operation> {
    vec![
        add.documented(TAG, "Add one or more members")
            .takes([P::PARAMETER, USER_ID, USERNAME, LEVEL.required(), EXPIRES])
            .response(ResponseSpec::json::<AddMembersResponse>(
                201,
                "The member, or the outcome for several users.",
            ))
            .response(ResponseSpec::refusal(409, "The user is already a member.")),
        update
            .documented(TAG, "Update the role of a member")
            .takes([P::PARAMETER, USER, LEVEL.required(), EXPIRES])
            .response(ResponseSpec::json::<MemberJson>(200, "The updated member.")),
        remove
            .documented(TAG, "Remove a member, or leave")
            .takes([P::PARAMETER, USER, SKIP, UNASSIGN])
            .response(ResponseSpec::empty(204, "Removed.")),
    ]
}

/// A member, or the outcome for several users.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Added")]
enum AddMembersResponse {
    One(Box<MemberJson>),
    Several(AddedJson),
}

/// Users to add, their role, and its expiry date.
struct NewMembers {
    users: Vec<NamedUser>,
    is_list: bool,
    level: AccessLevel,
    expires_on: Option<CalendarDate>,
}

async fn add<P: HasMembers>(request: In<P, P::Manager, WriteApi>) -> Result<HttpResponse, Failure> {
    let new_members = parse_new_members(request.params())?;
    let is_list = new_members.is_list;
    let actor = member_actor(request.viewer(), &request);
    let done = request.manage(move |tx, place, _| new_members.add(tx, P::members(&place), actor));
    let mut done = done.await?;
    let added = match done.pop() {
        Some((_, outcome)) if !is_list => {
            let listed = outcome.map_err(refused)?;
            AddMembersResponse::One(Box::new(MemberJson::new(&listed, request.base_url())))
        }
        last => AddMembersResponse::Several(summary(done.into_iter().chain(last))),
    };
    Ok(HttpResponse::Created().json(added))
}

/// Outcome of adding one user.
type AddOutcome = (NamedUser, Result<ListedMember, MemberError>);

impl NewMembers {
    /// Adds one user after the other.
    /// A refused user does not prevent the others from being added, but a failure of the store does.
    fn add(
        &self,
        tx: &mut (dyn WriteTransaction + '_),
        of: MemberContext,
        actor: MemberActor,
    ) -> Result<Vec<AddOutcome>, Failure> {
        let mut done = Vec::with_capacity(self.users.len());
        for user in &self.users {
            let new = |user_id| AddMember {
                user_id,
                level: self.level,
                expires_on: self.expires_on,
            };
            match add_named(tx, of, user, new, actor) {
                Err(MemberError::Store(error)) => return Err(error.into()),
                outcome => done.push((user.clone(), outcome)),
            }
        }
        Ok(done)
    }
}

/// Summarizes the outcomes for several users.
fn summary(done: impl Iterator<Item = AddOutcome>) -> AddedJson {
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

fn parse_new_members(params: &Params) -> Result<NewMembers, ApiError> {
    let mut read = params.reader();
    let ids = read.words(USER_ID.name, |text| text.parse().ok().map(UserId::new));
    let username = read.text(USERNAME.name).filter(|name| !name.is_empty());
    if ids.is_empty() && username.is_none() {
        read.demand(&[USER_ID.name]);
    }
    if ids.len() > MAX_USERS {
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
    Ok(NewMembers {
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

async fn update<P: HasMembers>(
    request: In<P, P::Manager, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let user_id = UserId::new(request.number(USER.name, "Member")?);
    let mut read = request.params().reader();
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
    let actor = member_actor(request.viewer(), &request);
    let changed = request.manage(move |tx, place, _| {
        let member = update_member(tx, P::members(&place), &edit, actor).map_err(refused)?;
        Ok(with_user(tx, member)?)
    });
    let listed = changed.await?;
    request.json(&MemberJson::new(&listed, request.base_url()))
}

/// Removes a member.
/// Every member may leave, so the flow checks the role of callers who remove others.
async fn remove<P: HasMembers>(request: In<P, Guest, WriteApi>) -> Result<Deletion, Failure> {
    let user_id = UserId::new(request.number(USER.name, "Member")?);
    let mut read = request.params().reader();
    let skips_subresources = read.boolean(SKIP.name).unwrap_or_default();
    if read.boolean(UNASSIGN.name) == Some(true) {
        read.fault(UNASSIGN.name, "does not have a valid value");
    }
    read.finish()?;
    let remove = RemoveMember {
        user_id,
        skips_subresources,
    };
    let (actor, condition) = (
        member_actor(request.viewer(), &request),
        request.precondition(),
    );
    let removed = request.manage(move |tx, place, _| {
        let removed = remove_member(tx, P::members(&place), remove, actor).map_err(refused)?;
        // Nothing records when a role was changed, so the precondition checks when it was given.
        Ok(condition.check(removed.created_at)?)
    });
    Ok(Deletion::no_content(removed.await?))
}
