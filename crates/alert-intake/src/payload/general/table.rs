//! Table of the general rule: field names of unknown senders, and their meaning.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    Title,
    Description,
    Severity,
    /// A word for the state of the alert.
    State,
    /// True if the alert is over.
    OverFlag,
    /// True if the alert fires.
    FiringFlag,
    Start,
    /// Time of the report: the start of an alert that fires, the end of one that is over.
    ReportTime,
    End,
    Host,
    Service,
    Environment,
    /// Part of something that has a state of its own, such as a branch.
    Part,
    /// A number for the state: 0 if all is well.
    StateNumber,
    /// Identity of the alert.
    Key,
    /// Identity of the rule behind the alert, which may cover many hosts.
    RuleKey,
    Tool,
    /// A value or a reason, which counts as a state only if no other field has one, and only with few words.
    StateHint,
}

/// Number of meanings.
pub(super) const MEANINGS: usize = 18;

/// Names by meaning, in order of preference, in lower case without `_`, `-`, `.` and spaces.
///
/// A field `name` in an object `monitor` is looked up as `monitorname` first.
const NAMES: [(Meaning, &str); MEANINGS] = [
    (
        Meaning::Title,
        "alertname alerttitle alarmname rulename ruletitle monitorname monitorfriendlyname checkname checkalias \
         testname incidenttitle issuetitle problemtitle problemname eventtitle eventdefinitiontitle conditionname \
         triggername policyname alertpolicyname searchname jobname ruledescription title summary subject headline \
         name snitchname workflowrunname workflowname pipelinename workspacename definitionname statustitle alarmtype label \
         shortdescription alert alarm check monitor rule trigger sensorname sensor alerttype errorexceptionclass problem message msg \
         text content reason error eventtypecode eventtypename metricname recorddescription errormessage",
    ),
    (
        Meaning::Description,
        "description message msg text body details detail longdescription output reason content info \
         alertdetails comment error summary",
    ),
    (
        Meaning::Severity,
        "severity alertseverity problemseverity eventseverity severitylevel sev priority alertpriority level \
         alertlevel urgency criticality importance importancelevel loglevel alertseveritystring stringseverity \
         alerttype severityname",
    ),
    (
        Meaning::State,
        "status state alertstate alertstatus alarmstate alarmstatus incidentstate incidentstatus problemstate \
         problemstatus issuestate issuestatus eventstate eventstatus checkstate checkstatus monitorstate \
         monitorstatus currentstate currentstatus currentmilestone resolutionstate xs4status newstate newstatus \
         newstatevalue monitorcondition transition alerttransition statetransition eventtype eventaction \
         eventkind action alertaction alerttypefriendlyname notificationtype alerttype hoststate servicestate \
         checkstatename snitchstatus workflowstatus conclusion workflowrunconclusion resourceresult \
         alertstatusstring statusname pipelineresult pipelinestatus runstatus stringseverity triggertype alertevent messagetype statuscode attachmentcolor \
         embedcolor level phase outcome result jobresult jobstatus buildresult buildstatus color event eventname \
         type kind",
    ),
    (
        Meaning::OverFlag,
        "resolved isresolved recovered isrecovered closed isclosed cleared iscleared ok isok healthy ishealthy \
         isup up statusisresolved backtonormal success succeeded issuccess \
         issuccessful passed",
    ),
    (
        Meaning::FiringFlag,
        "firing isfiring active isactive alerting isalerting isdown isopen failing failed isfailed down",
    ),
    (
        Meaning::Start,
        "starttime startedat startsat starts start started startdate triggeredat firedat fireddatetime \
         openedat activatedat activesince since firstseen detectedat createdat created createdtime",
    ),
    (
        Meaning::ReportTime,
        "timestamp time eventtime datetime date occurredat when statechangetime statechangedtimestamp \
         changedat alertdatetime triggertime updatedat lastupdated now senttime",
    ),
    (
        Meaning::End,
        "resolvedat resolvedtime resolvetime resolveddatetime recoveredat recoverytime closedat closetime \
         closedtime clearedat endedat endtime endsat enddate end",
    ),
    (
        Meaning::Host,
        "host hostname hostdisplayname hosts instance instancename server servername node nodename device \
         devicename machine computer entityname entity entitymetadataname resource resourcename target \
         targetname agentname clientname impactedentity endpoint ip ipaddress address site siteurl website monitorurl \
         hostnameandport",
    ),
    (
        Meaning::Service,
        "service servicename servicedesc servicedescription servicedisplayname component componentname application \
         applicationname app appname job subsystem project projectname namespace repositoryname repositoryfullname \
         repositoryslug reponame reposlug",
    ),
    (
        Meaning::Environment,
        "environment environmentname env stage",
    ),
    (
        Meaning::Part,
        "branch branchname buildbranch vcsbranch headbranch workflowrunheadbranch ref objectattributesref refname \
         revisionbranchname",
    ),
    (
        Meaning::StateNumber,
        "state stateid servicestateid hoststateid exitstatus exitcode returncode retcode eventvalue triggervalue \
         recordseverity",
    ),
    (
        Meaning::Key,
        "dedupkey dedupekey deduplicationkey fingerprint alertkey aggregationkey aggregkey groupingkey \
         correlationkey correlationid alertcorrelationid alias incidentkey alertid alarmid alertuid incidentid \
         issueid problemid alertgroupid eventarn messagekey alarmcode xs4externalid sitid situationid",
    ),
    (
        Meaning::RuleKey,
        "monitorid checkid checkuuid ruleid ruleuid triggerid conditionid eventdefinitionid \
         alertpolicyid alertconfigid involvedobjectuid",
    ),
    (
        Meaning::Tool,
        "monitoringtool tool toolname monitoringsystem sourcesystem vendor integration provider",
    ),
    (Meaning::StateHint, "value reason"),
];

/// Rank of the first title that is a message: its numbers change from one report to the next.
pub(super) const FIRST_MESSAGE: usize = 48;

/// Rank of the first title that says how something is now, and not what the problem is.
pub(super) const FIRST_REPORT: usize = 49;

/// Rank of the first field whose state has at most two words: a longer text names an event.
pub(super) const FIRST_LOOSE_STATE: usize = 61;

/// Rank of the first flag that may be about the request instead of the alert, and counts only if no other field has a state.
pub(super) const FIRST_LOOSE_FLAG: usize = 16;

/// Top-level names by which senders are recognised, besides those with a meaning.
const MARKS: &str = "alertcontext alerts alarms chart checkresult data detail essentials heartbeat incident issueurl \
    newstatereason notification payload recoverable responders routingkey ruleurl schemaid topicarn \
    visibleto previouslevel nagiosnotificationtype icinganotificationtype";

/// Objects whose fields count as if they were at the top.
const CONTAINERS: &str = "alarm alarmmetadata alert alertgroup alertpolicy annotations attachment attributes body build check \
    commitstatus commonannotations commonlabels component componentupdate condition context data detail embed essentials event execution \
    heartbeat incident issue item job labels metadata metricalert monitor notification objectattributes payload problem properties record result rule \
    securityadvisory trigger webhookeventdata";

/// Containers that describe an alert and never state whether it fires.
const DESCRIPTIONS: [&str; 4] = ["annotations", "commonannotations", "commonlabels", "labels"];

type Ranks = Vec<(Meaning, usize)>;

static TABLE: LazyLock<HashMap<&'static str, Ranks>> = LazyLock::new(|| {
    let mut table: HashMap<&'static str, Ranks> = HashMap::new();
    for (meaning, names) in NAMES {
        for (rank, name) in names.split(' ').enumerate() {
            table.entry(name).or_default().push((meaning, rank));
        }
    }
    for name in MARKS.split(' ').chain(CONTAINERS.split(' ')) {
        table.entry(name).or_default();
    }
    table
});

/// Longest name in the table, in bytes.
const MAX_NAME: usize = 32;

/// Name of a field in the form of the table.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FoldedName {
    bytes: [u8; MAX_NAME],
    length: usize,
}

impl FoldedName {
    /// Folds a name. Returns `None` for a name that cannot be in the table.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::default()
            .and(name)
            .filter(|_| name.len() <= 2 * MAX_NAME)
    }

    /// Returns this name with another one after it, for a field in an object of this name.
    pub(super) fn and(mut self, name: &str) -> Option<Self> {
        for byte in name.bytes() {
            match byte {
                b'_' | b'-' | b'.' | b' ' => {}
                letter if letter.is_ascii_alphanumeric() => {
                    *self.bytes.get_mut(self.length)? = letter.to_ascii_lowercase();
                    self.length += 1;
                }
                _ => return None,
            }
        }
        Some(self)
    }

    pub(super) fn as_str(&self) -> &str {
        let known = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(known).unwrap_or_default()
    }

    /// Returns the meanings of the name with their ranks.
    pub(super) fn meanings(&self) -> &'static [(Meaning, usize)] {
        TABLE
            .get(self.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    pub(super) fn is_container(&self) -> bool {
        CONTAINERS.split(' ').any(|name| name == self.as_str())
    }

    pub(super) fn is_description(&self) -> bool {
        DESCRIPTIONS.contains(&self.as_str())
    }
}

/// True if a top-level field of this name, which the specification does not know, may say something about the alert.
pub(in crate::payload) fn is_hint(name: &str) -> bool {
    let is_known = |name: &str| TABLE.contains_key(name);
    // A list of one object is that object.
    FoldedName::of(name).is_some_and(|name| {
        let name = name.as_str();
        is_known(name) || name.strip_suffix('s').is_some_and(is_known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_and_fit() {
        for (_, names) in NAMES {
            for name in names.split(' ') {
                let folded = FoldedName::of(name).unwrap();
                assert_eq!(folded.as_str(), name);
            }
        }
        for (name, is_known) in [
            ("alert_state", true),
            ("AlertState", true),
            ("alert-STATE", true),
            ("x", false),
            ("stàte", false),
        ] {
            assert_eq!(is_hint(name), is_known, "{name}");
        }
        assert!(FoldedName::of(&"a".repeat(33)).is_none());
        let nested = FoldedName::of("monitor")
            .and_then(|monitor| monitor.and("name"))
            .unwrap();
        assert_eq!(nested.meanings(), [(Meaning::Title, 5)]);
    }

    #[test]
    fn the_ranks_are_those_of_the_lists() {
        let (_, titles) = NAMES[0];
        assert_eq!(titles.split(' ').nth(FIRST_MESSAGE), Some("problem"));
        assert_eq!(titles.split(' ').nth(FIRST_REPORT), Some("message"));
        let (_, states) = NAMES[3];
        assert_eq!(states.split(' ').nth(FIRST_LOOSE_STATE), Some("result"));
        let (_, flags) = NAMES[4];
        assert_eq!(flags.split(' ').nth(FIRST_LOOSE_FLAG), Some("success"));
    }

    #[test]
    fn no_name_appears_twice_in_a_list() {
        for (meaning, names) in NAMES {
            let mut sorted: Vec<&str> = names.split(' ').collect();
            let count = sorted.len();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), count, "{meaning:?}");
        }
    }
}
