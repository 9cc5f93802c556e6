//! Projects and groups, and the keys of their alert endpoints and error tracking.

use accounts::RevocationSubject;
use alert_intake::model::{Integration, IntegrationChange};
use alert_intake::store::AlertRepositoryWrapper;
use api_conventions::ids::{ClientKeyId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use error_tracking::model::{ClientKey, ClientKeyChange, Settings};
use error_tracking::store::SettingsRepositoryWrapper;
use projects::{
    DeletionRepositoryWrapper, Group, GroupContent, GroupRepositoryWrapper, Namespace, NewDeletion,
    Project, ProjectChange, ProjectRepositoryWrapper, SaveGroup, SaveProject, ScheduledDeletion,
};
use storage::{Locked, StoreError};

use super::{CausedRevocation, RevocationRecorder, if_done};

impl ProjectRepositoryWrapper for RevocationRecorder<'_> {
    fn update_project(
        &mut self,
        project: Locked<Project>,
        change: &ProjectChange,
        now: Timestamp,
    ) -> Result<SaveProject, StoreError> {
        let saved = self.tx.update_project(project, change, now)?;
        self.record(if_done(
            matches!(saved, SaveProject::Saved(_)),
            RevocationSubject::Paths,
        ));
        Ok(saved)
    }
}

impl GroupRepositoryWrapper for RevocationRecorder<'_> {
    fn update_group(
        &mut self,
        group: Locked<Group>,
        content: &GroupContent,
        parent: Option<&Namespace>,
        now: Timestamp,
    ) -> Result<SaveGroup, StoreError> {
        let saved = self.tx.update_group(group, content, parent, now)?;
        self.record(if_done(
            matches!(saved, SaveGroup::Saved(_)),
            RevocationSubject::Paths,
        ));
        Ok(saved)
    }
}

impl DeletionRepositoryWrapper for RevocationRecorder<'_> {
    fn schedule_project_deletion(
        &mut self,
        project: Locked<Project>,
        new: &NewDeletion,
    ) -> Result<ScheduledDeletion, StoreError> {
        let deletion = self.tx.schedule_project_deletion(project, new)?;
        self.record(if_done(true, RevocationSubject::Paths));
        Ok(deletion)
    }

    fn schedule_group_deletion(
        &mut self,
        group: Locked<Group>,
        new: &NewDeletion,
    ) -> Result<ScheduledDeletion, StoreError> {
        let deletion = self.tx.schedule_group_deletion(group, new)?;
        self.record(if_done(true, RevocationSubject::Paths));
        Ok(deletion)
    }

    fn schedule_namespace_deletion(
        &mut self,
        user: UserId,
        new: &NewDeletion,
    ) -> Result<Option<ScheduledDeletion>, StoreError> {
        let deletion = self.tx.schedule_namespace_deletion(user, new)?;
        self.record(if_done(deletion.is_some(), RevocationSubject::Paths));
        Ok(deletion)
    }
}

impl AlertRepositoryWrapper for RevocationRecorder<'_> {
    fn update_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
        change: IntegrationChange,
    ) -> Result<Option<Integration>, StoreError> {
        let found = self
            .tx
            .update_integration(project, endpoint_identifier, change)?;
        self.record(
            found
                .iter()
                .map(|found| CausedRevocation::Everywhere(RevocationSubject::Endpoint(found.id))),
        );
        Ok(found)
    }

    fn delete_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<bool, StoreError> {
        let found = self.tx.find_integration(project, endpoint_identifier)?;
        let is_deleted = self.tx.delete_integration(project, endpoint_identifier)?;
        self.record(
            found
                .iter()
                .map(|found| CausedRevocation::Everywhere(RevocationSubject::Endpoint(found.id))),
        );
        Ok(is_deleted)
    }
}

impl SettingsRepositoryWrapper for RevocationRecorder<'_> {
    fn put_error_settings(
        &mut self,
        locked: Locked<Settings>,
        settings: &Settings,
    ) -> Result<(), StoreError> {
        self.tx.put_error_settings(locked, settings)?;
        self.record(if_done(
            true,
            RevocationSubject::ErrorTracking(settings.project_id),
        ));
        Ok(())
    }

    fn update_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
        change: ClientKeyChange,
    ) -> Result<Option<ClientKey>, StoreError> {
        let key = self.tx.update_client_key(project, id, change)?;
        self.record(if_done(
            key.is_some(),
            RevocationSubject::ErrorTracking(project),
        ));
        Ok(key)
    }

    fn delete_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
    ) -> Result<Option<ClientKey>, StoreError> {
        let key = self.tx.delete_client_key(project, id)?;
        self.record(if_done(
            key.is_some(),
            RevocationSubject::ErrorTracking(project),
        ));
        Ok(key)
    }
}
