// What the machine says in names and numbers (`name`, `name=value`, one after another), in words.
// A part whose name is not known is left out: it says nothing to a person.

export function inWords(text: string, words: Record<string, (value: string) => string>): string[] {
  return text
    .split(/(?:^|[;\s]+)(?=[a-z]+(?:-[a-z]+)*(?:=|\s|;|$))/)
    .map((part) => part.trim())
    .flatMap((part) => {
      const at = part.indexOf("=");
      const name = at < 0 ? part : part.slice(0, at);
      const word = words[name];
      return word ? [word(at < 0 ? "" : part.slice(at + 1))] : [];
    })
    .filter(Boolean);
}
