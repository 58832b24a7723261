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
