//! Member lists, and single members.
//! Visible to everyone who can view the project or group.

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::members::{ListedMember, list, with_user};
use projects::flow::members::find_member;
use projects::{MemberFilter, MemberScope};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::json::MemberJson;
use super::place::{HasMembers, TAG, USER, refused};
use crate::frame::group::Groups;
use crate::frame::place::Sees;
use crate::frame::project::{Projects, SeesProject};
use crate::frame::scopes::Read;

const QUERY: Parameter = Parameter::query(
    "query",
    Kind::ANY_TEXT,
    "Only those whose name or username contains this text.",
);
const USER_IDS: Parameter =
    Parameter::query("user_ids", Kind::Numbers, "Only the users with these ids.");
const SKIP_USERS: Parameter = Parameter::query(
    "skip_users",
    Kind::Numbers,
    "Without the users with these ids.",
);

const STATE: Parameter = Parameter::query(
    "state",
    Kind::Word(&["awaiting", "active"]),
    "Only those whose membership is of this state. All of them are active.",
);

const PROJECT_MEMBERS: &str = "/api/v4/projects/{id}/members";
const GROUP_MEMBERS: &str = "/api/v4/groups/{id}/members";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let of_project = || Kinds::of::<Projects>();
    let of_group = || Kinds::of::<Groups>();
    vec![
        of_project().list(get(
            "listProjectMembers",
            PROJECT_MEMBERS,
            direct::<Projects>,
        )),
        of_project().list_all(get(
            "listAllProjectMembers",
            "/api/v4/projects/{id}/members/all",
            all::<Projects>,
        )),
        of_project().one(get(
            "showProjectMember",
            "/api/v4/projects/{id}/members/{user_id}",
            show_direct::<Projects>,
        )),
        of_project().one_of_all(get(
            "showAnyProjectMember",
            "/api/v4/projects/{id}/members/all/{user_id}",
            show_any::<Projects>,
        )),
        of_group().list(get("listGroupMembers", GROUP_MEMBERS, direct::<Groups>)),
        of_group().list_all(get(
            "listAllGroupMembers",
            "/api/v4/groups/{id}/members/all",
            all::<Groups>,
        )),
        of_group().one(get(
            "showGroupMember",
            "/api/v4/groups/{id}/members/{user_id}",
            show_direct::<Groups>,
        )),
        of_group().one_of_all(get(
            "showAnyGroupMember",
            "/api/v4/groups/{id}/members/all/{user_id}",
            show_any::<Groups>,
        )),
        get("listProjectUsers", "/api/v4/projects/{id}/users", users)
            .documented(
                TAG,
                "List the users who are members of a project in any way",
            )
            .takes([
                Projects::PARAMETER,
                Parameter::query("search", Kind::ANY_TEXT, QUERY.about),
                SKIP_USERS,
            ])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<UserSummary>>(200, "A page, by the ids.")),
    ]
}

/// Common parts of the operations of one kind of place.
struct Kinds {
    place: Parameter,
}

impl Kinds {
    fn of<P: HasMembers>() -> Self {
        Self {
            place: P::PARAMETER,
        }
    }

    fn list(self, operation: Operation) -> Operation {
        self.page(operation, "List the members who were given a role here")
    }

    fn list_all(self, operation: Operation) -> Operation {
        self.page(operation, "List all members, inherited ones included")
    }

    fn one(self, operation: Operation) -> Operation {
        self.single(operation, "Show a member who was given a role here")
    }

    fn one_of_all(self, operation: Operation) -> Operation {
        self.single(operation, "Show a member, also an inherited one")
    }

    fn page(self, operation: Operation, about: &'static str) -> Operation {
        let page = Answer::json::<Vec<MemberJson>>(200, "A page, by the ids of the users.");
        let list = operation.documented(TAG, about);
        let list = list.takes([self.place, QUERY, USER_IDS, SKIP_USERS, STATE]);
        list.paged(Pages::Offset).answers(page)
    }

    fn single(self, operation: Operation, about: &'static str) -> Operation {
        let member = Answer::json::<MemberJson>(200, "The member.");
        let show = operation.documented(TAG, about);
        show.takes([self.place, USER]).answers(member)
    }
}

async fn direct<P: HasMembers>(asked: Sees<P, Read>) -> Result<HttpResponse, Failure> {
    shown_page(&asked, MemberScope::Direct).await
}

async fn all<P: HasMembers>(asked: Sees<P, Read>) -> Result<HttpResponse, Failure> {
    shown_page(&asked, MemberScope::All).await
}

async fn show_direct<P: HasMembers>(asked: Sees<P, Read>) -> Result<HttpResponse, Failure> {
    shown(&asked, MemberScope::Direct).await
}

async fn show_any<P: HasMembers>(asked: Sees<P, Read>) -> Result<HttpResponse, Failure> {
    shown(&asked, MemberScope::All).await
}

async fn users(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let filter = MemberFilter {
        users: None,
        except: read.words(SKIP_USERS.name, user_id),
    };
    let search = read.text("search").filter(|text| !text.is_empty());
    read.finish()?;
    let filter = (filter, search);
    let (page, found) = found(&asked, MemberScope::All, filter).await?;
    asked.page(page, found, |listed| {
        UserSummary::new(&listed.user, asked.base_url())
    })
}

async fn shown_page<P: HasMembers>(
    asked: &Sees<P, Read>,
    scope: MemberScope,
) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params())?;
    let (page, found) = found(asked, scope, filter).await?;
    asked.page(page, found, |listed| {
        MemberJson::new(&listed, asked.base_url())
    })
}

async fn shown<P: HasMembers>(
    asked: &Sees<P, Read>,
    scope: MemberScope,
) -> Result<HttpResponse, Failure> {
    let user = UserId::new(asked.number(USER.name, "Member")?);
    let now = asked.now();
    let found = asked.read(move |tx, place, _| {
        let member = find_member(tx, P::members(&place), scope, user, now).map_err(refused)?;
        Ok(with_user(tx, member)?)
    });
    let listed = found.await?;
    asked.json(&MemberJson::new(&listed, asked.base_url()))
}

type Filter = (MemberFilter, Option<String>);

fn user_id(text: &str) -> Option<UserId> {
    text.parse().ok().map(UserId::new)
}

fn read_filter(params: &Params) -> Result<Filter, ApiError> {
    let mut read = params.reader();
    let users = read.words(USER_IDS.name, user_id);
    let mut filter = MemberFilter {
        users: (!users.is_empty()).then_some(users),
        except: read.words(SKIP_USERS.name, user_id),
    };
    let is_awaiting = |word: &str| match word {
        "awaiting" => Some(true),
        "active" => Some(false),
        _ => None,
    };
    if read.word(STATE.name, is_awaiting) == Some(true) {
        // No user has this id.
        filter.users = Some(vec![UserId::new(0)]);
    }
    let search = read.text(QUERY.name).filter(|text| !text.is_empty());
    read.finish()?;
    Ok((filter, search))
}

async fn found<P: HasMembers>(
    asked: &Sees<P, Read>,
    scope: MemberScope,
    (filter, search): Filter,
) -> Result<(OffsetPage, Page<ListedMember>), Failure> {
    let page = Paging::offset(asked.params())?;
    let today = asked.now().date();
    let found = asked.read(move |tx, place, _| {
        let of = (P::members(&place).place(), scope);
        Ok(list(tx, of, (filter, search.as_deref()), today, page)?)
    });
    Ok((page, found.await?))
}
