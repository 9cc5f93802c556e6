//! `DELETE /api/v4/users/:id`: deletes a user.

use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_user::{DeleteUserError, delete_user};
use gatehouse_core::flows::groups::Actor;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete,
};

use super::people::{ID, id_of};
use crate::frame::api::AsAdministrator;
use crate::frame::scopes::WriteApi;

const HARD_DELETE: Parameter = Parameter::query(
    "hard_delete",
    ParameterKind::Boolean,
    "True to delete the issues, comments and events of the user, and the groups of which the user is the only Owner. \
     Otherwise the ghost user becomes the author.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteUser", "/api/v4/users/{id}", remove)
            .documented("users", "Delete a user, with their personal projects")
            .takes([ID, HARD_DELETE])
            .response(ResponseSpec::empty(
                204,
                "Deletion started: the user has no name and no access any more.",
            ))
            .response(ResponseSpec::refusal(
                403,
                "The caller is not an administrator, or the user is a bot, or the caller.",
            ))
            .response(ResponseSpec::refusal(404, "User not found."))
            .response(ResponseSpec::refusal(
                409,
                "The user is the only Owner of a group, and `hard_delete` is not set.",
            )),
    ]
}

async fn remove(request: AsAdministrator<WriteApi>) -> Result<Deletion, Failure> {
    let (id, caller) = (id_of(&request)?, request.caller());
    let actor = Actor {
        id: caller.user.id,
        viewer: caller.viewer(),
        now: request.now(),
    };
    let mut read = request.params().reader();
    let with_contributions = read.boolean(HARD_DELETE.name).unwrap_or_default();
    read.finish()?;
    let condition = request.precondition();
    let deleted = request.write(move |tx| {
        let delete = |since| delete_user(tx, id, with_contributions, since, actor);
        condition.check_in(delete).map_err(refusal)
    });
    Ok(Deletion::no_content(deleted.await?))
}

fn refusal(error: DeleteUserError) -> Failure {
    match error {
        DeleteUserError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
