//! Enumerations whose values have a name in requests and bodies, and a number in rows.

/// Declares an enumeration whose values have a number in rows and a name in requests and bodies.
///
/// ```
/// api_conventions::named! {
///     /// How a thing stands.
///     #[derive(Default)]
///     pub enum State {
///         /// There is work left.
///         #[default]
///         Open = 0, "open";
///         /// All is done.
///         Done = 1, "done";
///     }
/// }
///
/// assert_eq!(State::NAMES, ["open", "done"]);
/// assert_eq!(State::parse("done"), Some(State::Done));
/// assert_eq!(State::from_number(State::Done.number()), Some(State::Done));
/// assert_eq!((State::parse("Done"), State::from_number(2)), (None, None));
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $( $(#[$value_meta:meta])* $value:ident = $number:literal, $name:literal; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $( $(#[$value_meta])* $value, )+
        }

        impl $type {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The names of all values, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Name in requests and bodies.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$value => $name, )+
                }
            }

            /// Parses a name, case-sensitively.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some(Self::$value), )+
                    _ => None,
                }
            }

            /// Returns the number stored in rows.
            pub const fn number(self) -> i16 {
                match self {
                    $( Self::$value => $number, )+
                }
            }

            /// Returns the value with this number.
            pub fn from_number(number: i16) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$value), )+
                    _ => None,
                }
            }
        }
    };
}
