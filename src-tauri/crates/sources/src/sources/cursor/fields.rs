//! What becomes of each field of a bubble and of a composer that no other code reads: one table. Names as
//! they were seen in Cursor 0.4x to 3.15. Deliberately absent: fields that carry the conversation itself
//! (`bubble`, `tool`, `composer` read those).

use Disposal::{Drop, Metadata, Plain, Recover};
use assay_model::{Kind, Reason};

/// What becomes of a field that says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disposal {
    /// An id, a time, a flag, a number.
    Plain,
    /// Part of what is known about the conversation.
    Metadata,
    /// A message of its own.
    Recover(Kind, Reason),
    /// In no message.
    Drop(Reason),
}

const CONTEXT: Disposal = Recover(Kind::Attachment, Reason::Attachment);
const OUTPUT: Disposal = Recover(Kind::ToolResult, Reason::ToolResult);
const CODE: Disposal = Recover(Kind::Attachment, Reason::NonTextBlock);
const EVENT: Disposal = Recover(Kind::Event, Reason::SystemRecord);
const ERROR: Disposal = Recover(Kind::Event, Reason::ErrorRecord);

/// Object, what becomes of the fields, the fields.
const TABLE: &[(&str, Disposal, &[&str])] = &[
    (
        "bubble",
        Plain,
        &[
            "_v", "type", "bubbleId", "serverBubbleId", "requestId", "usageUuid", "checkpointId", "afterCheckpointId",
            "toolCallId", "modelCallId", "generationUUID", "createdAt", "unifiedMode", "isAgentic", "isChat",
            "isThought", "isNudge", "isRefunded", "isPlanExecution", "isQuickSearchQuery", "useWeb",
            "capabilityType", "thinkingDurationMs", "thinkingStyle", "skipRendering", "skippedByUser",
            "existedPreviousTerminalCommand", "existedSubsequentTerminalCommand", "pastChatsExplicitlySet",
            "editToolSupportsSearchAndReplace", "id", "messageType", "modelType", "isLoading", "isNew",
        ],
    ),
    (
        "bubble",
        Metadata,
        &[
            "modelInfo", "tokenCount", "tokenCountUpUntilHere", "tokenDetailsUpUntilHere", "timingInfo",
            "workspaceUris", "workspaceProjectDir", "supportedTools", "mcpDescriptors", "capabilitiesRan",
            "capabilityStatuses", "capabilities", "contextWindowStatusAtCreation", "usageData", "symbolLinks",
            "fileLinks", "originalFileStates", "subagentReturn",
        ],
    ),
    (
        "bubble",
        CONTEXT,
        &[
            "attachedCodeChunks", "attachedFileCodeChunksMetadataOnly", "attachedFileCodeChunksUris",
            "attachedFolders", "attachedFoldersNew", "attachedFoldersListDirResults", "codebaseContextChunks",
            "relevantFiles", "recentlyViewedFiles", "recentLocationsHistory", "docsReferences", "webReferences",
            "aiWebSearchResults", "externalLinks", "pullRequests", "commits", "gitDiffs", "gitStatusRaw",
            "consoleLogs", "notepads", "pastChats", "uiElementPicked", "knowledgeItems", "cursorRules",
            "cursorCommands", "documentationSelections", "attachedHumanChanges", "humanChanges",
            "diffsSinceLastApply", "diffsForCompressingFiles", "fileDiffTrajectories", "diffHistories",
            "editTrailContexts", "deletedFiles", "allDeletedFiles", "lints", "approximateLintErrors",
            "multiFileLinterErrors", "summarizedComposers", "context", "contextPieces", "projectLayouts",
            "terminalFiles", "terminalSelections", "fileSelections", "folderSelections", "selections", "todos",
            "images", "videos", "audio", "ideEditorsState", "currentFileLocationData", "cachedConversationSummary",
            "conversationSummary", "attachments", "selectedFiles", "selectedDocs", "selectedCommits",
            "selectedPullRequests", "mentions", "suggestions",
        ],
    ),
    (
        "bubble",
        OUTPUT,
        &["interpreterResults", "toolResults", "userResponsesToSuggestedCodeBlocks", "capabilityContexts"],
    ),
    ("bubble", CODE, &["codeBlocks", "suggestedCodeBlocks", "assistantSuggestedDiffs", "codeBlockData", "intermediateChunks"]),
    ("bubble", ERROR, &["errorDetails", "error"]),
    ("bubble", Drop(Reason::OpaqueBinary), &["conversationState"]),
    ("bubble", Drop(Reason::UiState), &["contentHeightHint", "grouping", "cachedHeight", "delegate"]),
    (
        "tool",
        Plain,
        &["tool", "toolIndex", "modelCallId", "toolCallId", "name", "status", "userDecision", "blockingToolCallId"],
    ),
    ("tool", OUTPUT, &["additionalData", "uiState"]),
    ("tool", CONTEXT, &["attachments"]),
    ("tool", ERROR, &["error"]),
    ("agent", Plain, &["id", "type", "toolCallId", "tool_use_id", "tool_call_id", "toolName", "name", "isError", "is_error", "index"]),
    ("agent", Metadata, &["providerOptions", "signature", "highLevelToolCallResult", "providerMetadata", "cache_control"]),
    ("agent", OUTPUT, &["experimental_content", "output", "text", "content", "result", "additionalData"]),
    ("message", Plain, &["id", "role", "type", "timestamp", "createdAt", "model", "stop_reason"]),
    ("message", Metadata, &["providerOptions", "usage", "providerMetadata"]),
    (
        "transcript",
        Plain,
        &["id", "uuid", "parentUuid", "sessionId", "session_id", "timestamp", "type", "event", "role", "status", "durationMs", "turnId"],
    ),
    ("transcript", Metadata, &["cwd", "model", "gitBranch", "version", "usage"]),
    ("transcript", ERROR, &["error", "errorMessage", "reason"]),
    (
        "plan",
        Plain,
        &[
            "id", "planId", "composerId", "createdBy", "createdAt", "updatedAt", "lastUpdatedAt", "version", "status",
            "isArchived", "type",
        ],
    ),
    ("plan", Metadata, &["name", "title", "uri", "path", "todos", "composerIds", "editedBy", "referencedBy", "builtBy"]),
    (
        "header",
        Plain,
        &[
            "bubbleId", "type", "serverBubbleId", "grouping", "contentHeightHint", "createdAt", "isRenderable", "hasText",
            "hasThinking", "thinkingDurationMs", "capabilityType", "textPreview",
        ],
    ),
    ("workspaceIdentifier", Plain, &["id", "uri", "configPath"]),
    ("prompt", Plain, &["commandType", "unixMs", "generationUUID", "type"]),
    ("thinking", Plain, &["isLastThinkingChunk", "thinkingDurationMs", "durationMs", "type", "id"]),
    ("thinking", Metadata, &["signature"]),
    ("thinking", Drop(Reason::EncryptedContent), &["redactedThinking"]),
    (
        "composer",
        Plain,
        &[
            "_v", "composerId", "createdAt", "lastUpdatedAt", "status", "isAgentic", "unifiedMode", "forceMode",
            "agentBackend", "isArchived", "isDraft", "hasLoaded", "hasUnreadMessages", "contextTokensUsed",
            "contextTokenLimit", "contextUsagePercent", "latestChatGenerationUUID", "latestCheckpointId",
            "currentBubbleId", "editingBubbleId", "blobEncryptionKey", "speculativeSummarizationEncryptionKey",
            "isBestOfNSubcomposer", "isBestOfNParent", "bestOfNJudgeWinner", "isQueueExpanded", "isReadingLongFile",
            "isCreatingWorktree", "isApplyingWorktree", "isUndoingWorktree", "isNAL", "isSpec", "isProject",
            "isCodebase", "isFileListExpanded", "browserChipManuallyDisabled", "browserChipManuallyEnabled",
            "applied", "pendingCreateWorktree", "totalLinesAdded", "totalLinesRemoved", "addedFiles",
            "removedFiles", "filesChangedCount", "planModeSuggestionUsed", "planModeSuggestionDismissed",
            "gitHubPromptDismissed", "lastFocusedAt", "type", "chatGenerationUUID", "hasBlockingPendingActions",
            "parentComposerId", "tabId", "lastSendTime",
        ],
    ),
    (
        "composer",
        Metadata,
        &[
            "name", "subtitle", "chatTitle", "modelConfig", "promptTokenBreakdown", "usageData", "gitWorktree",
            "workspaceIdentifier", "trackedGitRepos", "activeBranch", "branches", "createdOnBranch",
            "committedToBranch", "subComposerIds", "subagentComposerIds", "subagentInfo",
            "allAttachedFileCodeChunksUris", "bestOfNModels", "generatingBubbleIds", "contextWindowStatus",
            "planRegistryIds", "draftTarget", "worktreeStartedReadOnly", "mcpServers",
        ],
    ),
    ("composer", CONTEXT, &["context", "codeBlockData", "attachments", "selectedFiles"]),
    ("composer", EVENT, &["todos", "latestConversationSummary", "conversationSummary", "plan", "subagentReturn"]),
    (
        "composer",
        Drop(Reason::FileCheckpoint),
        &[
            "originalFileStates", "newlyCreatedFiles", "newlyCreatedFolders", "deletedFiles", "originalModelLines",
            "firstModelDiff", "latestCheckpoint", "codeBlockStates", "fullDiffs",
        ],
    ),
    (
        "composer",
        Drop(Reason::UiState),
        &["composerVirtualRowHeights", "selectedTabIndex", "tabs", "notifications", "sidebarState", "uiState"],
    ),
    ("capability", Plain, &["type", "id", "name", "status"]),
    ("composer", ERROR, &["errorDetails", "error", "lastError"]),
];

/// What becomes of `field` of an object; `None` where this parser does not know it.
pub(super) fn dispose(object: &str, field: &str) -> Option<Disposal> {
    TABLE.iter().find(|(o, _, fields)| *o == object && fields.contains(&field)).map(|(_, disposal, _)| *disposal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_field_stands_in_the_table_once() {
        let mut seen = BTreeSet::new();
        for (object, _, fields) in TABLE {
            for field in *fields {
                assert!(seen.insert((object, field)), "{object}/{field} stands twice");
            }
        }
    }
}
