// What went wrong: what happened, what it means for the data, what to do.
export interface FaultWords {
  what: string;
  means: string;
  todo: string;
}

type Params = Record<string, string>;

export const faults = {
  newer: (): FaultWords => ({
    what: "The library was written by a newer version of Assay.",
    means: "It has not been touched. Nothing can be imported into it from here.",
    todo: "Update Assay, or choose another library.",
  }),
  damaged: (): FaultWords => ({
    what: "The library file is damaged.",
    means: "Your tools’ own sessions are not affected. Imports are off so that nothing gets worse.",
    todo: "Move the file aside and put a backup in its place; then start Assay again.",
  }),
  locked: (): FaultWords => ({
    what: "The file is in use by another program.",
    means: "Nothing was read or changed.",
    todo: "Close the other program, or try again in a moment.",
  }),
  "disk-full": (): FaultWords => ({
    what: "The disk is full.",
    means: "Conversations that were already written are complete; the others are as they were.",
    todo: "Free some space and import again. The run picks up where it stopped.",
  }),
  "no-permission": (p: Params): FaultWords => ({
    what: p.path ? `Assay may not read ${p.path}.` : "Assay may not read this place.",
    means: "Nothing from there is counted or imported. Everything else is.",
    todo: "Allow access in the system’s settings, then look again.",
  }),
  "not-found": (p: Params): FaultWords => ({
    what: p.path ? `${p.path} is gone.` : "What you asked for is gone.",
    means: "The tool moved or deleted it since the preview. Nothing in the library changes.",
    todo: "Preview again to see what is there now.",
  }),
  encrypted: (): FaultWords => ({
    what: "The tool encrypts this store.",
    means: "Its conversations cannot be read by anything but the tool. Earlier imports stay in the library.",
    todo: "Export from within the tool, if it lets you.",
  }),
  stalled: (): FaultWords => ({
    what: "The store does not answer.",
    means: "It may be on a drive that is not connected. The other sources go on.",
    todo: "Reconnect the drive, then look again.",
  }),
  busy: (): FaultWords => ({
    what: "Other work is still running.",
    means: "This was not started. Nothing changed.",
    todo: "Wait for it to finish, or cancel it.",
  }),
  "not-previewed": (): FaultWords => ({
    what: "There is no preview yet.",
    means: "Without one there is nothing to show here.",
    todo: "Preview the source first. It writes nothing.",
  }),
  "read-failed": (p: Params): FaultWords => ({
    what: p.path ? `${p.path} could not be read.` : "A store could not be read.",
    means: "Its conversations are left out. The other sources go on.",
    todo: "Check that the drive is there and sound, then look again.",
  }),
  "write-failed": (p: Params): FaultWords => ({
    what: p.path ? `${p.path} could not be written.` : "The file could not be written.",
    means: "Nothing was saved there. Your data is unchanged.",
    todo: "Choose another folder or free some space.",
  }),
  older: (): FaultWords => ({
    what: "The library was written by a version of Assay that this one no longer reads.",
    means: "It has not been touched.",
    todo: "Open it once with an earlier version of Assay, or choose another library.",
  }),
  "not-a-library": (): FaultWords => ({
    what: "The file is not an Assay library.",
    means: "It has not been touched.",
    todo: "Choose another place for the library.",
  }),
  deleted: (): FaultWords => ({
    what: "You deleted this conversation from the library.",
    means: "It is kept and can come back; imports leave it out.",
    todo: "Restore it to see it again.",
  }),
  "not-empty": (): FaultWords => ({
    what: "The folder is not empty.",
    means: "Nothing was written.",
    todo: "Choose a new folder.",
  }),
  "not-a-label": (): FaultWords => ({
    what: "The label is empty or too long.",
    means: "Nothing was changed.",
    todo: "Use up to 60 characters.",
  }),
  "in-use": (): FaultWords => ({
    what: "The library is in use by another program.",
    means: "Nothing was written.",
    todo: "Close the other program, or try again in a moment.",
  }),
  io: (): FaultWords => ({
    what: "The disk did not answer as it should.",
    means: "What was not reached is left as it was; nothing is half done.",
    todo: "Check that the drive is connected and sound, then try again.",
  }),
  gone: (): FaultWords => ({
    what: "A file is gone since it was found.",
    means: "Its conversation is left out. What the library has of it stays.",
    todo: "Preview again to see what is there now.",
  }),
  panicked: (): FaultWords => ({
    what: "Assay stumbled over a conversation.",
    means: "That one is left out; all others go on. This is a fault of Assay, not of your data.",
    todo: "Report it with the detail below.",
  }),
  "same-id": (): FaultWords => ({
    what: "Two conversations of one source carry the same id.",
    means: "The second is left out, so that neither overwrites the other.",
    todo: "Open the conversations to see both; nothing needs to be done.",
  }),
  "source-failed": (): FaultWords => ({
    what: "A source could not be read.",
    means: "Its conversations are left out. The other sources go on.",
    todo: "Look again; if it stays, close the tool and try once more.",
  }),
  "scan-incomplete": (): FaultWords => ({
    what: "Part of a source could not be listed.",
    means: "What was listed is read; nothing is marked as gone because of this.",
    todo: "Check the detail below, then look again.",
  }),
  "unknown-source": (): FaultWords => ({
    what: "This build does not know the source.",
    means: "Nothing was read or changed.",
    todo: "Update Assay.",
  }),
  "fixture-not-run": (): FaultWords => ({
    what: "A rule could not be checked in this build.",
    means: "Your data is not affected; the check is not to be relied on.",
    todo: "Report it with the detail below.",
  }),
  "settings-not-saved": (): FaultWords => ({
    what: "The settings could not be saved.",
    means: "They hold until Assay is closed.",
    todo: "Check that the folder of the library can be written to.",
  }),
  "no-such-root": (): FaultWords => ({
    what: "That place is no longer among those looked at.",
    means: "Nothing was changed.",
    todo: "Look again for your tools.",
  }),
  "no-such-conversation": (): FaultWords => ({
    what: "The conversation is no longer where it was.",
    means: "Nothing was changed; what the library has of it stays.",
    todo: "Preview the source again.",
  }),
  "no-such-item": (): FaultWords => ({
    what: "That part of the conversation is no longer there.",
    means: "The conversation changed since it was opened.",
    todo: "Open it again.",
  }),
  "no-such-entry": (): FaultWords => ({
    what: "That record is no longer there.",
    means: "The conversation changed since it was opened.",
    todo: "Open it again.",
  }),
  "no-sample": (): FaultWords => ({
    what: "The sample data could not be laid out.",
    means: "Your own data is not affected.",
    todo: "Free some space in the temporary folder, then try again.",
  }),
  "library-gone": (): FaultWords => ({
    what: "The library is no longer where it was.",
    means: "Nothing was written. What was imported is in the file that was moved, if it was.",
    todo: "Choose the place that it has now.",
  }),
  "no-library": (): FaultWords => ({
    what: "There is no library yet.",
    means: "Nothing has been imported.",
    todo: "Import once; the library is made then.",
  }),
  "ambiguous-id": (): FaultWords => ({
    what: "More than one conversation has this id.",
    means: "Nothing was done.",
    todo: "Name its source as well.",
  }),
  "not-written": (): FaultWords => ({
    what: "The file could not be written.",
    means: "Nothing else was changed.",
    todo: "Choose another place or free some space.",
  }),
  internal: (): FaultWords => ({
    what: "Something inside Assay stopped.",
    means: "Sources are only ever read; the library keeps only what is whole.",
    todo: "Try again. If it stays, report it with the detail below.",
  }),
  "not-revealed": (): FaultWords => ({
    what: "The file manager did not open.",
    means: "Nothing was changed.",
    todo: "Open the folder yourself; its path is below.",
  }),
  "not-copied": (): FaultWords => ({
    what: "The text could not be copied.",
    means: "Nothing was changed.",
    todo: "Select it and copy it by hand.",
  }),
  "inside-a-store": (): FaultWords => ({
    what: "The file would be inside a store.",
    means: "Assay writes nothing into the folders of your tools. Nothing was saved.",
    todo: "Choose another folder.",
  }),
  "over-the-library": (): FaultWords => ({
    what: "This file is the library itself.",
    means: "It is never written over. Nothing was saved.",
    todo: "Choose another name.",
  }),
  "over-a-database": (): FaultWords => ({
    what: "This file is a database.",
    means: "It may be a back-up, or the store of a program, and is not written over. Nothing was saved.",
    todo: "Choose another name.",
  }),
  "link-refused": (): FaultWords => ({
    what: "This kind of link is not opened.",
    means: "Only web and mail addresses leave the window.",
    todo: "Copy the address if you trust it.",
  }),
  "link-not-opened": (): FaultWords => ({
    what: "No program opened the link.",
    means: "Nothing was changed.",
    todo: "Copy the address into a browser.",
  }),
  "no-such-run": (): FaultWords => ({
    what: "There is no such run.",
    means: "Nothing was saved or changed.",
    todo: "Choose one from the list of earlier runs.",
  }),
  interrupted: (): FaultWords => ({
    what: "The search was called off.",
    means: "Nothing is wrong; a later question took its place.",
    todo: "Search again if you still want the answer.",
  }),
  "source-changed": (): FaultWords => ({
    what: "The store no longer says the same at this place.",
    means: "What the library keeps is complete; only the original cannot be shown any more.",
    todo: "Preview the source to see its records as they are now.",
  }),
  "bad-time": (): FaultWords => ({
    what: "A date in the filter could not be read.",
    means: "Nothing was searched.",
    todo: "Choose the date again, or clear the filters.",
  }),
  "unknown-role": (): FaultWords => ({
    what: "The filter asks for a role that this version does not know.",
    means: "Nothing was searched.",
    todo: "Clear the filters and search again.",
  }),
  "unknown-format": (): FaultWords => ({
    what: "This version cannot export to that format.",
    means: "Nothing was written.",
    todo: "Choose another format.",
  }),
  unexpected: (): FaultWords => ({
    what: "Something went wrong that Assay did not expect.",
    means: "Sources are only ever read, so your sessions are as they were.",
    todo: "Try again. If it stays, report it with the detail below.",
  }),
};

export const faultUnknown = (p: Params): FaultWords => ({
  what: `Something went wrong (${p.code ?? ""}).`,
  means: "Sources are only ever read, so your sessions are as they were.",
  todo: "Try again. If it stays, report it with the detail below.",
});
