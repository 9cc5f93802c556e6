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
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::json::MemberJson;
use super::place::{HasMembers, TAG, USER, refused};
use crate::frame::group::Groups;
use crate::frame::place::Sees;
use crate::frame::project::{Projects, SeesProject};
use crate::frame::scopes::ReadApi;

const QUERY: Parameter = Parameter::query(
    "query",
    ParameterKind::ANY_TEXT,
    "Search in name and username.",
);
const USER_IDS: Parameter = Parameter::query(
    "user_ids",
    ParameterKind::Numbers,
    "Only users with these ids.",
);
const SKIP_USERS: Parameter = Parameter::query(
    "skip_users",
    ParameterKind::Numbers,
    "Exclude users with these ids.",
);

const STATE: Parameter = Parameter::query(
    "state",
    ParameterKind::Word(&["awaiting", "active"]),
    "Filter by membership state. All members are active.",
);

const PROJECT_MEMBERS: &str = "/api/v4/projects/{id}/members";
const GROUP_MEMBERS: &str = "/api/v4/groups/{id}/members";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let of_project = || MemberOperations::of::<Projects>();
    let of_group = || MemberOperations::of::<Groups>();
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
                "List the users who are direct or inherited members of a project",
            )
            .takes([
                Projects::PARAMETER,
                Parameter::query("search", ParameterKind::ANY_TEXT, QUERY.about),
                SKIP_USERS,
            ])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<UserSummary>>(
                200,
                "A page of users, sorted by id.",
            )),
    ]
}

/// Common parts of the operations of one kind of place.
struct MemberOperations {
    place: Parameter,
}

impl MemberOperations {
    fn of<P: HasMembers>() -> Self {
        Self {
            place: P::PARAMETER,
        }
    }

    fn list(self, operation: Operation) -> Operation {
        self.page(operation, "List direct members")
    }

    fn list_all(self, operation: Operation) -> Operation {
        self.page(operation, "List all members, including inherited ones")
    }

    fn one(self, operation: Operation) -> Operation {
        self.single(operation, "Get a direct member")
    }

    fn one_of_all(self, operation: Operation) -> Operation {
        self.single(operation, "Get a direct or inherited member")
    }

    fn page(self, operation: Operation, about: &'static str) -> Operation {
        let page =
            ResponseSpec::json::<Vec<MemberJson>>(200, "A page of members, sorted by user id.");
        let list = operation.documented(TAG, about);
        let list = list.takes([self.place, QUERY, USER_IDS, SKIP_USERS, STATE]);
        list.paged(Pages::Offset).response(page)
    }

    fn single(self, operation: Operation, about: &'static str) -> Operation {
        let member = ResponseSpec::json::<MemberJson>(200, "The member.");
        let show = operation.documented(TAG, about);
        show.takes([self.place, USER]).response(member)
    }
}

async fn direct<P: HasMembers>(request: Sees<P, ReadApi>) -> Result<HttpResponse, Failure> {
    list_in_scope(&request, MemberScope::Direct).await
}

async fn all<P: HasMembers>(request: Sees<P, ReadApi>) -> Result<HttpResponse, Failure> {
    list_in_scope(&request, MemberScope::All).await
}

async fn show_direct<P: HasMembers>(request: Sees<P, ReadApi>) -> Result<HttpResponse, Failure> {
    show_in_scope(&request, MemberScope::Direct).await
}

async fn show_any<P: HasMembers>(request: Sees<P, ReadApi>) -> Result<HttpResponse, Failure> {
    show_in_scope(&request, MemberScope::All).await
}

async fn users(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let filter = MemberFilter {
        users: None,
        except: read.words(SKIP_USERS.name, user_id),
    };
    let search = read.text("search").filter(|text| !text.is_empty());
    read.finish()?;
    let (page, found) = load_page(&request, MemberScope::All, filter, search).await?;
    request.page(page, found, |listed| {
        UserSummary::new(&listed.user, request.base_url())
    })
}

async fn list_in_scope<P: HasMembers>(
    request: &Sees<P, ReadApi>,
    scope: MemberScope,
) -> Result<HttpResponse, Failure> {
    let (filter, search) = read_filter(request.params())?;
    let (page, found) = load_page(request, scope, filter, search).await?;
    request.page(page, found, |listed| {
        MemberJson::new(&listed, request.base_url())
    })
}

async fn show_in_scope<P: HasMembers>(
    request: &Sees<P, ReadApi>,
    scope: MemberScope,
) -> Result<HttpResponse, Failure> {
    let user = UserId::new(request.number(USER.name, "Member")?);
    let now = request.now();
    let found = request.read(move |tx, place, _| {
        let member = find_member(tx, P::members(&place), scope, user, now).map_err(refused)?;
        Ok(with_user(tx, member)?)
    });
    let listed = found.await?;
    request.json(&MemberJson::new(&listed, request.base_url()))
}

type MemberListFilter = (MemberFilter, Option<String>);

fn user_id(text: &str) -> Option<UserId> {
    text.parse().ok().map(UserId::new)
}

fn read_filter(params: &Params) -> Result<MemberListFilter, ApiError> {
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

async fn load_page<P: HasMembers>(
    request: &Sees<P, ReadApi>,
    scope: MemberScope,
    filter: MemberFilter,
    search: Option<String>,
) -> Result<(OffsetPage, Page<ListedMember>), Failure> {
    let page = Paging::offset(request.params())?;
    let today = request.now().date();
    let found = request.read(move |tx, place, _| {
        let source = P::members(&place).source();
        Ok(list(
            tx,
            source,
            scope,
            filter,
            search.as_deref(),
            today,
            page,
        )?)
    });
    Ok((page, found.await?))
}
