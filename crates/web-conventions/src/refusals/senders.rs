//! Most frequent senders, in bounded memory (the algorithm of Misra and Gries for frequent items).

use std::collections::HashMap;
use std::net::IpAddr;

/// Clients that send the most counted requests.
///
/// Up to `capacity` clients, the counts are exact. Beyond that, each client without room lowers every count by one, and
/// clients with a count of zero are removed. A count is therefore never too high, and a client that sent more than one
/// part in `capacity + 1` of all requests is still present at the end, however many others there were.
#[derive(Debug)]
pub(super) struct Senders {
    counts: HashMap<IpAddr, u64>,
    capacity: usize,
}

impl Senders {
    /// Creates an empty set with room for this many clients.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            counts: HashMap::new(),
            capacity,
        }
    }

    /// Counts one more request of a client.
    pub(super) fn count(&mut self, client: IpAddr) {
        if let Some(count) = self.counts.get_mut(&client) {
            *count += 1;
        } else if self.counts.len() < self.capacity {
            self.counts.insert(client, 1);
        } else {
            // Each pass undoes as many steps as it takes, so that counting stays cheap for any input.
            self.counts.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    /// Returns the client that sent most and its minimum count, or the lowest address of several, and clears the
    /// counts.
    pub(super) fn take_top(&mut self) -> Option<(IpAddr, u64)> {
        let counts = std::mem::take(&mut self.counts);
        let most = counts.into_iter();
        most.max_by(|(one, less), (other, more)| less.cmp(more).then(other.cmp(one)))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    #[test]
    fn counts_are_exact_while_there_is_room() {
        let mut senders = Senders::new(3);
        for number in [1, 2, 3, 2, 2, 3] {
            senders.count(client(number));
        }
        assert_eq!(senders.take_top(), Some((client(2), 3)));
        assert_eq!(senders.take_top(), None);
    }

    #[test]
    fn of_two_that_sent_as_much_the_lower_address_is_named() {
        let mut senders = Senders::new(3);
        for number in [9, 7, 9, 7] {
            senders.count(client(number));
        }
        assert_eq!(senders.take_top(), Some((client(7), 2)));
    }

    #[test]
    fn a_client_that_sends_much_is_found_among_any_number_of_others() {
        let mut senders = Senders::new(8);
        for number in 1..=10_000 {
            senders.count(client(number));
            assert!(senders.counts.len() <= 8, "the memory is bounded");
            if number % 4 == 0 {
                senders.count(client(0));
            }
        }
        let (most, count) = senders.take_top().unwrap();
        assert_eq!(most, client(0));
        // A quarter of 12,500, minus at most a ninth of all.
        assert!((1_111..=2_500).contains(&count), "{count}");
    }
}
