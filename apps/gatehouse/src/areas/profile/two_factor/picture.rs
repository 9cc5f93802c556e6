//! QR code for authenticator apps.

use qrcodegen::{DataTooLong, QrCode, QrCodeEcc};

/// Quiet zone around the code, in modules (ISO/IEC 18004, section 9.1).
const QUIET: i32 = 4;

/// Draws a text as a QR code in SVG.
/// It is one path on a white background, in colours that scanners also recognize in dark mode.
///
/// # Errors
/// If the text is too long for a QR code.
pub(super) fn picture(text: &str) -> Result<String, DataTooLong> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium)?;
    let size = code.size();
    let modules = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    let dark = modules.filter(|(x, y)| code.get_module(*x, *y));
    let squares = dark.map(|(x, y)| format!("M{},{}h1v1h-1z", x + QUIET, y + QUIET));
    let path = squares.collect::<Vec<_>>().concat();
    let width = size + 2 * QUIET;
    Ok(format!(
        "<svg viewBox=\"0 0 {width} {width}\" width=\"208\" height=\"208\" role=\"img\" aria-label=\"QR code for the authenticator app\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0,0h{width}v{width}h-{width}z\"/><path fill=\"#000\" d=\"{path}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_the_corners_of_a_code_and_none_of_the_text() {
        let svg = picture("otpauth://totp/x?secret=<script>").unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        assert!(
            svg.contains("M4,4h1v1h-1z"),
            "the first module of the first corner is dark"
        );
        assert!(!svg.contains("script"));
        assert!(picture(&"x".repeat(5000)).is_err());
    }
}
