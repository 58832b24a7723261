//! The fields of a session and of its requests by name: those that are told by code of their own, and
//! those that are known about it. Any other with content is kept raw, by name. Deliberately absent: the
//! walk over them (`session.rs`).

/// The newest version of a session's shape that this parser knows (VS Code's `chatModel.ts`).
pub(super) const KNOWN_VERSION: f64 = 3.0;

/// Fields of a session that are told by code of their own.
pub(super) const HANDLED: &[&str] = &["version", "sessionId", "creationDate", "requests", "pendingRequests", "inputState", "kind"];

/// Fields of a session that are known about it rather than part of what was said.
pub(super) const FOLDED: &[&str] = &[
    "customTitle",
    "computedTitle",
    "lastMessageDate",
    "responderUsername",
    "responderAvatarIconUri",
    "requesterUsername",
    "requesterAvatarIconUri",
    "initialLocation",
    "hasPendingEdits",
    "isImported",
    "repoData",
    "workingDirectory",
    "permissionLevel",
    "sessionCopilotCredits",
    "modelTotals",
    "timing",
    "stats",
    "lastResponseState",
    "isEmpty",
    "isExternal",
];

/// Fields of a request that are told by code of their own.
pub(super) const REQUEST_HANDLED: &[&str] = &[
    "requestId",
    "timestamp",
    "message",
    "variableData",
    "response",
    "result",
    "responseErrorDetails",
    "modelState",
    "isCanceled",
    "shouldBeRemovedOnSend",
    "systemInitiatedLabel",
    "codeCitations",
];

/// Fields of a request that are known about it rather than part of what was said.
pub(super) const REQUEST_FOLDED: &[&str] = &[
    "agent",
    "slashCommand",
    "modelId",
    "modelConfiguration",
    "modeInfo",
    "elapsedMs",
    "timeSpentWaiting",
    "promptTokens",
    "completionTokens",
    "outputBuffer",
    "promptTokenDetails",
    "copilotCredits",
    "modelTotals",
    "sessionCopilotCredits",
    "usedContext",
    "contentReferences",
    "followups",
    "vote",
    "voteDownReason",
    "responseMarkdownInfo",
    "responseId",
    "responseTimestamp",
    "editedFileEvents",
    "confirmation",
    "isHidden",
    "hiddenFromTranscript",
    "requestHiddenFromTranscript",
    "isSystemInitiated",
    "requestSource",
    "terminalExecutionId",
    "origin",
    "attempt",
    "locationData",
    "isCompleteAddedRequest",
    "attachedContext",
    "agentOrSlashCommandDetected",
    "userSelectedTools",
    "userSelectedModelId",
];

/// States of a response that are worth saying.
pub(super) const STATES: &[(f64, &str)] = &[(0.0, "pending"), (2.0, "cancelled"), (3.0, "failed"), (4.0, "needs input")];
