/** Tags of a call by name. A tag without a value has the value ''. */
export type Tags = Readonly<Record<string, string>>;

/** Maximum number of tags per call. */
export const maxTags = 16;

/** Maximum length of a value, in characters. */
export const maxTagValue = 200;

/** Valid tag names: up to 64 letters, digits and `_ . : / -`. */
export const tagName = /^[A-Za-z0-9][\w.:/-]{0,63}$/;

/**
 * Parses tags in text form: `team=search, env=prod, batch`. Values may be percent-encoded, which headers require for
 * characters beyond Latin-1. Undefined for invalid texts, too many tags and too long values.
 */
export function parseTags(text: string): Tags | undefined {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const tags = new Map<string, string>();
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = (at < 0 ? part : part.slice(0, at)).trim();
    const value = at < 0 ? '' : decoded(part.slice(at + 1).trim());
    if (!tagName.test(name) || value === undefined || value.length > maxTagValue) return undefined;
    tags.set(name, value);
  }
  return tags.size > maxTags ? undefined : Object.fromEntries(tags);
}

/** The tags that a filter names; a text that is none has one that no call has. */
export const tagsToFind = (text: string): { name: string; value: string }[] =>
  Object.entries(parseTags(text) ?? { '': text }).map(([name, value]) => ({ name, value }));

/** Name of the tag of a run, or of a sub-run at a lower level (from 2): each call has one tag for each level. */
export const runTag = (level: number): string => (level === 1 ? 'run' : `run.${level}`);

/** The run that tags name, at the lowest level. */
export const runOfTags = (tags: Tags): string | undefined =>
  [4, 3, 2, 1].map((level) => tags[runTag(level)]).find((run) => run !== undefined && run !== '');

/** A tag in text form. */
export const writeTag = (name: string, value: string): string =>
  value === '' ? name : `${name}=${value.replace(/[%,]/g, encodeURIComponent)}`;

function decoded(value: string): string | undefined {
  try {
    return value.includes('%') ? decodeURIComponent(value) : value;
  } catch {
    return undefined;
  }
}
