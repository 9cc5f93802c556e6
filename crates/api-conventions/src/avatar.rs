//! Avatars: images with initials, for users without a picture.
//!
//! The file name contains everything that the image shows. So the server draws it without looking up a user, reveals
//! nothing about which accounts exist, and lets clients cache it forever.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Path of avatars below the server root.
pub const AVATARS: &str = "/assets/avatars/";

/// Background colors. White text on each has a contrast of at least 4.5 to 1.
const COLORS: [&str; 12] = [
    "#8a3033", "#8f4a17", "#6f5a10", "#4c6318", "#2c6a3a", "#1d6a63", "#1f6384", "#2d549a",
    "#4a48a3", "#6a3f9c", "#873a83", "#8c345c",
];

/// Most initials of an avatar.
const MAX_INITIALS: usize = 2;

/// Image of a name's initials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Avatar {
    color: usize,
    initials: String,
}

impl Avatar {
    /// Creates the avatar of a user. The color comes from the username, ignoring case, and the initials from the first
    /// and last word of the name.
    pub fn new(username: &str, name: &str) -> Self {
        let of_name = initials(name);
        let initials = if of_name.is_empty() {
            initials(username)
        } else {
            of_name
        };
        // The hash FNV-1a, which is the same in every build.
        let hash = username
            .to_lowercase()
            .bytes()
            .fold(0x811c_9dc5, |hash: u32, byte| {
                (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
            });
        Self {
            color: hash as usize % COLORS.len(),
            initials,
        }
    }

    /// Parses a file name such as `7-AB.svg`, with escapes decoded. Returns `None` if it is not an avatar's name.
    pub fn parse(file_name: &str) -> Option<Self> {
        let (color, initials) = file_name.strip_suffix(".svg")?.split_once('-')?;
        let number: usize = color.parse().ok()?;
        let is_canonical = number < COLORS.len() && number.to_string() == color;
        let is_text =
            initials.chars().count() <= MAX_INITIALS && initials.chars().all(char::is_alphanumeric);
        (is_canonical && is_text).then(|| Self {
            color: number,
            initials: initials.to_owned(),
        })
    }

    /// Returns the file name, percent-encoded.
    pub fn file_name(&self) -> String {
        let initials = utf8_percent_encode(&self.initials, NON_ALPHANUMERIC);
        format!("{}-{initials}.svg", self.color)
    }

    /// Returns the URL below `base_url`, which has no trailing slash.
    pub fn url(&self, base_url: &str) -> String {
        format!("{base_url}{AVATARS}{}", self.file_name())
    }

    /// Draws the image (SVG 1.1). It contains no script and no style, and loads nothing.
    pub fn svg(&self) -> String {
        let color = COLORS.get(self.color).copied().unwrap_or_default();
        // The initials are letters and digits only, so there is nothing to escape.
        let text = &self.initials;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 80 80\" width=\"80\" height=\"80\" role=\"img\" \
             aria-label=\"{text}\"><path fill=\"{color}\" d=\"M0 0h80v80H0z\"/><text x=\"40\" y=\"41\" fill=\"#fff\" \
             font-family=\"sans-serif\" font-size=\"32\" text-anchor=\"middle\" dominant-baseline=\"central\">{text}</text></svg>"
        )
    }
}

/// Returns the first letters of the first and last words, in capitals.
fn initials(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let mut firsts = words.filter_map(|word| word.chars().next());
    let first = firsts.next();
    let last = firsts.next_back();
    let capital = |letter: char| letter.to_uppercase().next();
    first.into_iter().chain(last).filter_map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initials_are_those_of_the_first_and_the_last_word() {
        for (name, shown) in [
            ("Dana Developer", "DD"),
            ("ann", "A"),
            ("Jean-Luc van der Berg", "JB"),
            ("österreich ßtar", "ÖS"),
            ("<script> 7", "S7"),
            ("李 雷", "李雷"),
            // A name without letters falls back to the username.
            ("🎉 \"&", "U1"),
        ] {
            assert_eq!(Avatar::new("user-1", name).initials, shown, "{name}");
        }
        assert_eq!(Avatar::new("ANN", "Ann"), Avatar::new("ann", "Ann"));
    }

    #[test]
    fn the_name_of_the_file_is_the_picture() {
        for (username, name) in [
            ("ann", "Ann"),
            ("ö", "Änne Öst"),
            ("_", "🎉"),
            ("u", "李 雷"),
        ] {
            let avatar = Avatar::new(username, name);
            let decoded = crate::reference::decode_segment(&avatar.file_name()).unwrap();
            assert_eq!(Avatar::parse(&decoded), Some(avatar), "{name}");
        }
        for wrong in [
            "12-AB.svg",
            "07-AB.svg",
            "-1-A.svg",
            "1-ABC.svg",
            "1-<.svg",
            "1-A",
            "1-A.png",
            "A.svg",
            "+1-A.svg",
            "1-a b.svg",
        ] {
            assert_eq!(Avatar::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn white_text_is_read_on_every_color() {
        let linear = |part: &str| {
            let value = f64::from(u8::from_str_radix(part, 16).unwrap()) / 255.0;
            if value <= 0.03928 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        for color in COLORS {
            let [red, green, blue] = [1, 3, 5].map(|at| linear(&color[at..at + 2]));
            let luminance = 0.0722_f64.mul_add(blue, 0.2126_f64.mul_add(red, 0.7152 * green));
            let contrast = 1.05 / (luminance + 0.05);
            assert!(contrast >= 4.5, "{color}: {contrast}");
        }
    }

    #[test]
    fn the_picture_holds_nothing_but_text() {
        let svg = Avatar::new("ann", "Ann Bee").svg();
        assert!(svg.contains(">AB</text>"), "{svg}");
        for part in ["script", "style", "href", "url("] {
            assert!(!svg.contains(part), "{part}");
        }
    }
}
