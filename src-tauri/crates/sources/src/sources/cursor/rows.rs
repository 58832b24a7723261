//! JSON in rows and blobs: read, put right where that is possible, else kept as it stands. Deliberately
//! absent: lines of files, which the account reads itself.

use crate::readers::json::{Tape, Value};
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Kind, Message, MessageType, NoticeCode, Reason};

/// The value of a row as JSON; a damaged one is kept as it stands. Byte order marks and NULs are put right.
pub(super) fn read_row<'t>(
    account: &mut Account,
    entry: EntryId,
    bytes: &'t [u8],
    tape: &'t mut Tape,
) -> Result<Value<'t>, Option<MessageId>> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    let place = account.locator(entry).clone();
    match tape.read_whole(&text[..end]) {
        Ok(value) => {
            account.repaired(&place, value.repairs());
            if end != bytes.len() {
                account.notice(NoticeCode::RepairedText, "byteOrderMarkOrNul", Some(place));
            }
            Ok(value)
        }
        Err(_) => {
            account.excerpt(entry, &String::from_utf8_lossy(bytes));
            let Ok(text) = std::str::from_utf8(bytes) else {
                account.refate(entry, Fate::Dropped(Reason::MalformedJson));
                return Err(None);
            };
            let id = format!("malformed-{entry}");
            let message =
                Message::recovered(id, MessageType::System, Kind::Event, text, Reason::MalformedJson, place);
            let id = account.push(message);
            account.refate(entry, Fate::Recovered(id));
            Err(Some(id))
        }
    }
}

/// A JSON body inside a blob; a damaged one is kept as it stands, as a block of the blob.
pub(super) fn read_json<'t>(
    account: &mut Account,
    entry: EntryId,
    bytes: &'t [u8],
    tape: &'t mut Tape,
) -> Result<Value<'t>, Option<MessageId>> {
    let place = account.locator(entry).clone();
    match tape.read_whole(bytes) {
        Ok(value) => {
            account.repaired(&place, value.repairs());
            Ok(value)
        }
        Err(_) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let id = format!("malformed-{entry}");
            let message =
                Message::recovered(id, MessageType::System, Kind::Event, text, Reason::MalformedJson, place.at("/json"));
            Err(Some(account.recover(entry, "/json", "malformed", message)))
        }
    }
}
