//! Registration tokens, looked up by their places.

use ::pipelines::model::{RegistrationToken, RunnerPlace};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::secret::SecretDigest;
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Reports};
use crate::samples::timestamp;

const PROJECT: RunnerPlace = RunnerPlace::Project(ProjectId::new(7));
const OTHER_PROJECT: RunnerPlace = RunnerPlace::Project(ProjectId::new(8));
const GROUP: RunnerPlace = RunnerPlace::Group(NamespaceId::new(7));

pub(super) fn j91_a_registration_token_is_found_by_its_place(harness: &mut AreaHarness<Reports>) {
    let token = |place, seconds| RegistrationToken {
        place,
        creator_id: UserId::new(seconds),
        created_at: timestamp(seconds),
    };
    let found = harness.store().change(move |tx| {
        tx.put_registration_token(&token(GROUP, 1), &SecretDigest::of("first"))?;
        tx.put_registration_token(&token(PROJECT, 2), &SecretDigest::of("project"))?;
        tx.put_registration_token(&token(GROUP, 3), &SecretDigest::of("second"))?;
        Ok([
            tx.find_registration_token_of(GROUP)?,
            tx.find_registration_token_of(PROJECT)?,
            tx.find_registration_token_of(OTHER_PROJECT)?,
        ])
    });
    let expected = [Some(token(GROUP, 3)), Some(token(PROJECT, 2)), None];
    assert_eq!(found.wait().unwrap(), expected);
}
