//! `/api/v4/groups/:id/members` (`AUTH-11`).

use serde_json::json;

use crate::projects::members::{audited, person};
use crate::support::TestServer;
use crate::support::pages::column;
use crate::support::script::play;

const MEMBERS: &str = "/api/v4/groups/others/members";

#[test]
fn an_owner_manages_the_members_of_a_group_and_the_last_one_stays() {
    let server = TestServer::start();
    let (ann_id, ann) = person(&server, "ann");
    let (ben_id, ben) = person(&server, "ben");
    server.create_project("others/sub/project", "private", "ann");
    server.create_project("others/beside", "private", "ann");
    assert_eq!(ben.get(MEMBERS).status, 404);
    let script = r#"
        POST . {"user_id": BEN, "access_level": 40}
        201
        PUT /ANN {"access_level": 40}
        400 {"message": {"access_level": ["cannot be changed: the group needs an Owner whose role does not expire"]}}
        PUT /ANN {"access_level": 50, "expires_at": "2999-01-01"}
        400 {"message": {"expires_at": ["cannot be changed: the group needs an Owner whose role does not expire"]}}
        DELETE /ANN
        403 {"message": "403 Forbidden"}
    "#;
    let script = script.replace("ANN", &ann_id.to_string());
    play(&ann, MEMBERS, &script.replace("BEN", &ben_id.to_string()));
    // A Maintainer manages the members of projects, but not those of a group.
    assert_eq!(ben.get(MEMBERS).status, 200);
    let level = json!({ "access_level": 10 });
    assert_eq!(ben.put(&format!("{MEMBERS}/{ann_id}"), &level).status, 403);
    let refused = json!({ "user_id": ben_id, "access_level": 30 });
    let below = "/api/v4/projects/others%2Fsub%2Fproject/members";
    let words =
        "should be greater than or equal to Maintainer inherited membership from group others";
    let refusal = json!({ "message": { "access_level": [words] } });
    assert_eq!(ann.post(below, &refused).expect(400), refusal);

    let owner = json!({ "access_level": 50 });
    ann.put(&format!("{MEMBERS}/{ben_id}"), &owner).expect(200);
    assert_eq!(
        ann.delete(&format!("{MEMBERS}/{ann_id}")).status,
        204,
        "Ann leaves"
    );
    assert_eq!(
        ben.delete(&format!("{MEMBERS}/{ben_id}")).status,
        403,
        "the last one"
    );
    // Ann also created the subgroup, and her role there was removed with the one above.
    let audited = [1, 2, 3].map(|event_name| audited(&server, 1, event_name));
    assert_eq!(audited, [1, 1, 2]);
}

#[test]
fn with_a_role_in_a_group_go_those_below_it() {
    let server = TestServer::start();
    let (ben_id, _) = person(&server, "ben");
    person(&server, "ann");
    let ann = crate::support::TestCaller::new(server.base_url(), Some(&server.token("ann", "api")));
    server.create_project("others/sub/project", "private", "ann");
    let below = "/api/v4/projects/others%2Fsub%2Fproject/members";
    let sub = "/api/v4/groups/others%2Fsub/members";
    let give = |path: &str| {
        let body = json!({ "user_id": ben_id, "access_level": 30 });
        ann.post(path, &body).expect(201);
    };
    for path in [MEMBERS, sub, below] {
        give(path);
    }
    let all = column(&ann, &format!("{sub}/all"), "username");
    assert_eq!(all, ["ben", "ann"]);
    let one = format!("{MEMBERS}/{ben_id}");
    assert_eq!(
        ann.delete(&format!("{one}?skip_subresources=true")).status,
        204
    );
    assert_eq!(column(&ann, below, "username"), ["ben"]);
    give(MEMBERS);
    assert_eq!(ann.delete(&one).status, 204);
    assert_eq!(column(&ann, below, "username"), [""; 0]);
    assert_eq!(column(&ann, &format!("{sub}/all"), "username"), ["ann"]);
}
