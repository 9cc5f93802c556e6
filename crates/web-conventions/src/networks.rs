//! Addresses and networks in settings.

use std::net::{IpAddr, Ipv6Addr};

/// A list of networks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// Network: all addresses with the same prefix. IPv4 addresses are stored as IPv6-mapped ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    first: u128,
    mask: u128,
}

impl Networks {
    /// Parses addresses, and networks with the length of their prefix, separated by commas. Returns `None` if one is
    /// neither.
    pub fn parse(text: &str) -> Option<Self> {
        let items = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty());
        items.map(Network::parse).collect::<Option<_>>().map(Self)
    }

    /// True if an address is in one of the networks.
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = bits(address);
        self.0
            .iter()
            .any(|network| bits & network.mask == network.first)
    }
}

impl Network {
    fn parse(item: &str) -> Option<Self> {
        let (address, prefix) = match item.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u32>().ok()?)),
            None => (item, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(width);
        let fixed = prefix + 128 - width;
        (prefix <= width).then(|| {
            let mask = u128::MAX.checked_shl(128 - fixed).unwrap_or_default();
            Self {
                first: bits(address) & mask,
                mask,
            }
        })
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
    .to_bits()
}

/// Returns the address under which a client is counted: an IPv4 address itself, and the first 64 bits of an IPv6
/// address, because a client with one such network has all its addresses.
pub fn client_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_has_the_addresses_with_its_prefix() {
        let networks = Networks::parse("10.0.0.0/8, 192.168.1.7, fd00::/8").unwrap();
        for inside in ["10.255.0.1", "192.168.1.7", "fdff::1", "::ffff:10.1.2.3"] {
            assert!(networks.contains(address(inside)), "{inside}");
        }
        for outside in ["11.0.0.1", "192.168.1.8", "fe00::1", "::1"] {
            assert!(!networks.contains(address(outside)), "{outside}");
        }
    }

    #[test]
    fn a_network_may_be_all_addresses_or_none() {
        let everybody = Networks::parse("::/0").unwrap();
        assert!(everybody.contains(address("8.8.8.8")) && everybody.contains(address("::1")));
        let of_ipv4 = Networks::parse("0.0.0.0/0").unwrap();
        assert!(of_ipv4.contains(address("8.8.8.8")) && !of_ipv4.contains(address("::1")));
        assert_eq!(Networks::parse(" "), Some(Networks::default()));
    }

    #[test]
    fn invalid_networks_are_refused() {
        for bad in ["proxy", "10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0.1,y"] {
            assert_eq!(Networks::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn clients_of_one_ipv6_network_are_counted_as_one() {
        assert_eq!(
            client_key(address("2001:db8::1:2:3:4")),
            address("2001:db8::")
        );
        assert_eq!(client_key(address("::ffff:10.1.2.3")), address("10.1.2.3"));
    }
}
