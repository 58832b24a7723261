//! What crosses to the page: plain data, ids instead of paths, pages instead of whole stores. One file a place of
//! the window.
//!
//! Generated to TypeScript by `cargo test -p assay-engine` (see `ui/src/lib/backend/generated/`); a test
//! holds the committed files fresh. Words for people are not here: codes are, and the page words them.
//! The exception is what an adapter declares about itself, which comes in both languages.

mod acceptance;
mod app;
mod imports;
mod inspector;
mod library;
mod shared;
mod sources;

pub use acceptance::{AcceptanceSummary, BoundaryRow, ConversationRow, Crossed, RowQuery, UnknownKind};
pub use app::{AppState, LibraryState, Settings, SourceInfo};
pub use imports::{
    ImportPlan, ImportRequest, ImportResult, OutcomeQuery, OutcomeRow, PlanWarning, SourcePlan, SourceResult,
};
pub use inspector::{
    Chip, CoreRun, FoundPlace, Inspection, LinkView, NoticeView, Place, RawBlock, RawRecord, TimelineItem,
};
pub use library::{
    ExportForm, ExportResult, HourCount, LibraryFacets, LibraryHistory, LibraryQuery, LibraryRow, SearchHit, SearchPage,
};
pub use shared::{Bilingual, Count, Fate, Fault, Page, Progress, RetentionChoice, Strata};
pub use sources::{DropFit, Dropped, RootView, SourceView};

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use ts_rs::TS;

    /// Every type that crosses to the page.
    macro_rules! exported {
        ($($t:ty),+ $(,)?) => { [$((<$t as TS>::ident(&ts_rs::Config::default()), <$t as TS>::decl(&ts_rs::Config::default()))),+] };
    }

    #[test]
    fn generated_typescript_is_fresh() {
        let types = exported![
            Bilingual,
            Fault,
            AppState,
            LibraryState,
            SourceInfo,
            RetentionChoice,
            Settings,
            RootView,
            SourceView,
            Dropped,
            DropFit,
            Strata,
            Count,
            UnknownKind,
            Crossed,
            AcceptanceSummary,
            BoundaryRow,
            Fate,
            ConversationRow,
            RowQuery,
            Page<ConversationRow>,
            Inspection,
            LinkView,
            CoreRun,
            NoticeView,
            Place,
            TimelineItem,
            Chip,
            RawRecord,
            RawBlock,
            Progress,
            ImportPlan,
            PlanWarning,
            SourcePlan,
            ImportRequest,
            ImportResult,
            SourceResult,
            OutcomeRow,
            OutcomeQuery,
            FoundPlace,
            LibraryRow,
            LibraryQuery,
            SearchHit,
            SearchPage,
            LibraryFacets,
            ExportForm,
            ExportResult,
            HourCount,
            LibraryHistory,
        ];
        let mut text = String::from(
            "// Made from src-tauri/crates/engine/src/dto by `UPDATE_TYPES=1 cargo test -p assay-engine`.\n\n",
        );
        for (_, declaration) in types {
            text.push_str("export ");
            text.push_str(&declaration);
            text.push_str("\n\n");
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/lib/backend/generated/dto.ts");
        #[allow(clippy::disallowed_methods)]
        if std::env::var_os("UPDATE_TYPES").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            text,
            "run UPDATE_TYPES=1 cargo test -p assay-engine"
        );
    }
}
