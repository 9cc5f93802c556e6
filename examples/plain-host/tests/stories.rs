//! What the program tells.

#[test]
fn a_code_gives_tokens_once_and_a_replay_ends_them() {
    assert_eq!(
        plain_host::play().unwrap(),
        [
            "a code gave tokens for \"read_user email\"",
            "a refresh token gave tokens for \"read_user email\"; before it: revoked",
            "a refresh token gave tokens for \"read_user email\"; before it: revoked",
            "a refresh token gave tokens for \"read_user email\"; before it: revoked",
            "one of two threads got invalid_grant",
            "one of two threads got tokens, now revoked",
            "a lost answer was given again: true",
            "the refresh token a minute later got invalid_grant",
            "the tokens that followed it: revoked",
        ]
    );
}
