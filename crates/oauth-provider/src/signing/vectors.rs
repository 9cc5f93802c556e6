//! Examples of the standards: keys and signatures from third parties.
//!
//! RS256 and `EdDSA` sign deterministically, so our signature must be the same, byte for byte. ES256 does not, so the
//! published signature must pass our verification, which then verifies our own signatures.

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeyPairComponents, PublicKeyComponents};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::key_set::is_signed;
use super::{PrivateKey, PublicJwk};
use crate::model::SigningAlgorithm;

/// The private key of RFC 7515, appendix A.2.
const RSA: [(&str, &str); 8] = [
    (
        "n",
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    ),
    ("e", "AQAB"),
    (
        "d",
        "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    ),
    (
        "p",
        "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    ),
    (
        "q",
        "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    ),
    (
        "dp",
        "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    ),
    (
        "dq",
        "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    ),
    (
        "qi",
        "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U",
    ),
];
const RSA_SIGNED: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const RSA_SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

/// The key of RFC 7515, appendix A.3: both coordinates, and the private number.
const P256: [&str; 3] = [
    "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
];
const P256_SIGNED: &str = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const P256_SIGNATURE: &str =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

/// The key of RFC 8037, appendix A.1: public and private.
const ED25519: [&str; 2] = [
    "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
];
/// Appendix A.4.
const ED25519_SIGNED: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
const ED25519_SIGNATURE: &str =
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

fn bytes(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// Returns the key of the example, converted through the stored form.
fn rsa() -> PrivateKey {
    let number = |name: &str| {
        let (_, text) = RSA.iter().find(|(known, _)| *known == name).unwrap();
        bytes(text)
    };
    let pair = KeyPair::from_components(&KeyPairComponents {
        public_key: PublicKeyComponents {
            n: number("n"),
            e: number("e"),
        },
        d: number("d"),
        p: number("p"),
        q: number("q"),
        dP: number("dp"),
        dQ: number("dq"),
        qInv: number("qi"),
    });
    let der: Pkcs8V1Der<'_> = pair.unwrap().as_der().unwrap();
    PrivateKey::from_pkcs8(SigningAlgorithm::Rs256, der.as_ref()).unwrap()
}

fn p256() -> PrivateKey {
    let [x, y, d] = P256.map(bytes);
    let point = [vec![4], x, y].concat();
    let pair =
        EcdsaKeyPair::from_private_key_and_public_key(&ECDSA_P256_SHA256_FIXED_SIGNING, &d, &point);
    let pkcs8 = pair.unwrap().to_pkcs8v1().unwrap();
    PrivateKey::from_pkcs8(SigningAlgorithm::Es256, pkcs8.as_ref()).unwrap()
}

fn ed25519() -> PrivateKey {
    let [public, seed] = ED25519.map(bytes);
    let pair = Ed25519KeyPair::from_seed_and_public_key(&seed, &public).unwrap();
    let pkcs8 = pair.to_pkcs8v1().unwrap();
    PrivateKey::from_pkcs8(SigningAlgorithm::EdDsa, pkcs8.as_ref()).unwrap()
}

#[test]
fn rs256_signs_as_rfc_7515_does() {
    let signature = rsa().signature(RSA_SIGNED.as_bytes()).unwrap();
    assert_eq!(URL_SAFE_NO_PAD.encode(signature), RSA_SIGNATURE);
}

#[test]
fn eddsa_signs_as_rfc_8037_does() {
    let signature = ed25519().signature(ED25519_SIGNED.as_bytes()).unwrap();
    assert_eq!(URL_SAFE_NO_PAD.encode(signature), ED25519_SIGNATURE);
}

#[test]
fn the_public_halves_are_those_of_the_standards() {
    let [x, y, _] = P256;
    let expected = [
        (
            rsa(),
            format!(r#"{{"kty":"RSA","n":"{}","e":"AQAB"}}"#, RSA[0].1),
        ),
        (
            p256(),
            format!(r#"{{"kty":"EC","crv":"P-256","x":"{x}","y":"{y}"}}"#),
        ),
        (
            ed25519(),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{}"}}"#, ED25519[0]),
        ),
    ];
    for (key, json) in expected {
        assert_eq!(key.public(), &PublicJwk::parse(&json).unwrap());
    }
}

#[test]
fn the_signatures_of_the_standards_pass_and_changed_ones_do_not() {
    let cases = [
        (rsa(), RSA_SIGNED, RSA_SIGNATURE),
        (p256(), P256_SIGNED, P256_SIGNATURE),
        (ed25519(), ED25519_SIGNED, ED25519_SIGNATURE),
    ];
    for (key, signed, signature) in cases {
        let mut signature = bytes(signature);
        let check =
            |signed: &str, signature: &[u8]| is_signed(key.public(), signed.as_bytes(), signature);
        assert!(check(signed, &signature), "{key:?}");
        assert!(!check(&signed.to_uppercase(), &signature), "{key:?}");
        signature[5] ^= 1;
        assert!(!check(signed, &signature), "{key:?}");
        assert!(!check(signed, &[]), "{key:?}");
    }
}

/// The previous test validated the verification with the standard's example; here it verifies our own signatures.
#[test]
fn es256_signatures_verify_and_differ_each_time() {
    let key = p256();
    let first = key.signature(b"message").unwrap();
    assert_eq!(first.len(), 64, "both numbers at their full length");
    assert!(is_signed(key.public(), b"message", &first));
    assert_ne!(
        first,
        key.signature(b"message").unwrap(),
        "no two signatures are equal"
    );
}
