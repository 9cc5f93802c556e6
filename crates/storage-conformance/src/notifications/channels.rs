//! Changes and lists of channels.

use ::notifications::model::{Channel, ChannelLane, ChannelSettings, NewChannel, SealedSecret};
use ::notifications::store::SaveChannel;
use api_conventions::ids::{ChannelId, ProjectId};
use storage::StoreExt as _;

use super::{channel, insert_channel, insert_channels};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;

pub(super) fn m07_a_change_keeps_the_secret_and_the_delivery_of_a_channel(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let done = harness.store().change(move |tx| {
        let new = NewChannel {
            secret: Some(SealedSecret(vec![1, 2])),
            ..channel(project, "first")
        };
        let id = insert_channel(tx, &new)?.id;
        let lane = ChannelLane {
            due_at: Some(timestamp(7)),
            is_waiting: true,
            failures: 3,
            dropped: 4,
        };
        tx.set_lane(id, &lane)?;
        let mut expected = Channel {
            lane,
            settings: ChannelSettings::new("second"),
            updated_at: timestamp(9),
            ..new.stored(id)
        };
        let settings = expected.settings.clone();
        let saved = tx.update_channel(project.into(), id, &settings, None, timestamp(9))?;
        assert_eq!(saved, SaveChannel::Saved(Box::new(expected.clone())));
        let secret = SealedSecret(Vec::new());
        let saved = tx.update_channel(
            project.into(),
            id,
            &settings,
            Some(Some(&secret)),
            timestamp(9),
        )?;
        expected.secret = Some(secret);
        assert_eq!(saved, SaveChannel::Saved(Box::new(expected.clone())));
        let saved = tx.update_channel(project.into(), id, &settings, Some(None), timestamp(9))?;
        expected.secret = None;
        assert_eq!(saved, SaveChannel::Saved(Box::new(expected.clone())));
        assert_eq!(tx.find_channel(project.into(), id)?, Some(expected));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m08_a_taken_name_is_refused_and_changes_nothing(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, _] = insert_channels(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let before = tx.list_channels(&[project, other], 9)?;
        let mut outcomes = Vec::new();
        for (project, id, name) in [
            (project, second, "a"),
            (other, second, "d"),
            (project, ChannelId::new(i64::MAX), "a"),
            (project, ChannelId::new(i64::MAX), "d"),
        ] {
            let settings = ChannelSettings::new(name);
            outcomes.push(tx.update_channel(project.into(), id, &settings, None, timestamp(5))?);
        }
        assert_eq!(
            outcomes,
            [
                SaveChannel::NameTaken,
                SaveChannel::NotFound,
                SaveChannel::NotFound,
                SaveChannel::NotFound,
            ]
        );
        assert_eq!(
            tx.insert_channel(&channel(project, "b"))?,
            SaveChannel::NameTaken
        );
        assert_eq!(tx.list_channels(&[project, other], 9)?, before);
        // Free are the name of the channel itself, one that differs in case, and one of another project.
        for name in ["b", "A", "c"] {
            let settings = ChannelSettings::new(name);
            let saved = tx.update_channel(project.into(), second, &settings, None, timestamp(5))?;
            assert!(matches!(saved, SaveChannel::Saved(_)), "{name}");
        }
        let names = tx.list_channels(&[project], 9)?;
        let names: Vec<(ChannelId, &str)> = names
            .iter()
            .map(|channel| (channel.id, channel.settings.name.as_str()))
            .collect();
        assert_eq!(names, [(first, "a"), (second, "c")]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m09_channels_of_several_projects_are_listed_in_the_order_of_their_ids(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let unknown = ProjectId::new(i64::MAX);
    let store = harness.store();
    let ids = insert_channels(
        store,
        [(project, "z"), (other, "y"), (project, "x"), (other, "w")],
    );
    let list = |projects: Vec<ProjectId>, limit| {
        let listed = store.query(move |tx| tx.list_channels(&projects, limit));
        let listed = listed.wait().unwrap();
        listed.iter().map(|channel| channel.id).collect::<Vec<_>>()
    };
    assert_eq!(list(vec![project], 9), [ids[0], ids[2]]);
    for projects in [vec![project, other], vec![other, unknown, project, other]] {
        assert_eq!(list(projects.clone(), 9), ids);
        assert_eq!(list(projects.clone(), 3), ids[..3]);
        assert_eq!(list(projects, 0), []);
    }
    assert_eq!(list(vec![unknown], 9), []);
    assert_eq!(list(Vec::new(), 9), []);
}
