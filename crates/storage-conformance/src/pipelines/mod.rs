//! `J`: promises of a store about environments, deployments, pipelines and jobs.

mod deletion;
mod deployments;
mod environments;
mod jobs;
mod registration_tokens;
mod runners;
mod runs;
mod samples;

pub use deployments::StoredDeployment;
pub use environments::StoredEnvironment;
pub use jobs::StoredJob;
pub use runners::StoredRunner;
pub use runs::StoredPipeline;

pub(crate) use samples::*;

use crate::areas::Reports;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `pipelines`.
    pipelines_suite = pipelines::cases for Reports;
    environments {
        j11_environment_names_and_slugs_are_unique_per_project,
        j12_each_filter_of_environments_holds,
        j13_an_environment_takes_its_deployments_with_it,
        j14_environments_of_a_state_are_listed_in_the_order_of_their_names,
    }
    deployments {
        j30_each_filter_of_deployments_holds,
        j31_every_order_of_deployments_breaks_ties_by_id,
        j32_numbers_of_deployments_have_no_gaps,
        j33_racing_deployments_never_get_the_same_number,
        j34_the_latest_deployment_to_each_environment_is_found,
    }
    runs {
        j50_each_filter_of_pipelines_holds,
        j51_every_order_of_pipelines_breaks_ties_by_id,
        j52_variables_come_back_in_their_order,
        j53_the_latest_pipeline_of_a_commit_is_found,
        j54_numbers_of_pipelines_have_no_gaps,
    }
    jobs {
        j70_each_filter_of_jobs_holds,
        j71_a_walk_of_jobs_begins_beyond_an_id,
        j72_each_filter_of_statuses_of_a_commit_holds,
        j73_a_job_is_retried_by_the_next_one_of_its_name,
        j74_the_statuses_of_a_pipeline_are_those_of_its_current_jobs,
    }
    runners {
        j85_runners_are_listed_by_place_kind_and_state,
        j86_a_contact_is_stored_unless_a_later_one_is,
        j87_a_runner_ends_with_its_last_place,
        j88_a_registration_token_replaces_the_previous_one_of_its_place,
        j89_a_replaced_token_of_a_runner_finds_nothing,
        j92_runners_of_a_creator_get_a_successor_up_to_a_limit,
    }
    registration_tokens {
        j91_a_registration_token_is_found_by_its_place,
    }
    deletion {
        j90_a_project_that_goes_takes_its_reports_step_by_step,
        u06_reports_of_a_user_get_another_user_in_steps,
    }
    [StoredEnvironment] {
        j01_an_environment_comes_back_as_it_was_written = clauses::comes_back,
        j02_an_environment_is_not_found_in_another_project = clauses::absence,
        j03_a_refused_write_leaves_no_environment = clauses::rollback,
        j04_an_environment_is_changed_in_its_project_only = clauses::changes,
        j05_an_environment_is_deleted_once = clauses::deleted_once,
        j06_one_of_many_racing_environments_gets_the_name = clauses::unique,
        j07_environments_of_a_project_are_listed_and_no_others = lists::isolation,
        j08_environments_are_listed_the_oldest_first = lists::ties,
        j09_pages_of_environments_hold_every_one_once = lists::pages,
        j10_environments_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredDeployment] {
        j20_a_deployment_comes_back_as_it_was_written = clauses::comes_back,
        j21_a_deployment_is_not_found_in_another_project = clauses::absence,
        j22_a_refused_write_leaves_no_deployment = clauses::rollback,
        j23_a_deployment_is_changed_in_its_project_only = clauses::changes,
        j24_a_deployment_is_deleted_once = clauses::deleted_once,
        j25_deployments_of_a_project_are_listed_and_no_others = lists::isolation,
        j26_deployments_are_listed_the_oldest_first = lists::ties,
        j27_pages_of_deployments_hold_every_one_once = lists::pages,
        j28_deployments_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredPipeline] {
        j40_a_pipeline_comes_back_as_it_was_written = clauses::comes_back,
        j41_a_pipeline_is_not_found_in_another_project = clauses::absence,
        j42_a_refused_write_leaves_no_pipeline = clauses::rollback,
        j43_a_pipeline_is_changed_in_its_project_only = clauses::changes,
        j44_pipelines_of_a_project_are_listed_and_no_others = lists::isolation,
        j45_pipelines_are_listed_the_newest_first = lists::ties,
        j46_pages_of_pipelines_hold_every_one_once = lists::pages,
        j47_pipelines_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredRunner] {
        j80_a_runner_comes_back_as_it_was_written = clauses::comes_back,
        j81_two_runners_never_have_the_same_token = clauses::unique,
        j82_a_refused_write_leaves_no_runner = clauses::rollback,
        j83_the_settings_of_a_runner_are_changed = clauses::changes,
        j84_a_runner_is_deleted_once = clauses::deleted_once,
    }
    [StoredJob] {
        j60_a_job_comes_back_as_it_was_written = clauses::comes_back,
        j61_a_job_is_not_found_in_another_project = clauses::absence,
        j62_a_refused_write_leaves_no_job = clauses::rollback,
        j63_a_job_is_changed_in_its_project_only = clauses::changes,
        j64_jobs_of_a_project_are_listed_and_no_others = lists::isolation,
        j65_jobs_are_listed_the_newest_first = lists::ties,
        j66_pages_of_jobs_hold_every_one_once = lists::pages,
        j67_jobs_outlive_the_store = clauses::survives needs Durable,
    }
}
