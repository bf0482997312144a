/** A chat application of this site. */
export interface ChatLink {
  /** Index in the list, as in its address `/chat/0`. */
  index: number;
  name: string;
  /** With `{address}` and `{key}`. */
  template: string;
}

/** The applications of the status: objects of one name and its link. */
export const chatLinksOf = (chats: readonly Readonly<Record<string, string>>[]): ChatLink[] =>
  chats.flatMap((entry, index) => {
    const [pair] = Object.entries(entry);
    return pair ? [{ index, name: pair[0], template: pair[1] }] : [];
  });

/** A filled template by kind. */
export type Target =
  /** `embeds`: a frame may show it. */
  | { kind: 'web'; url: string; embeds: boolean }
  /** A program on the device: never opened from here. */
  | { kind: 'app' }
  | { kind: 'bad' };

interface Filling {
  /** The address of this site without a trailing slash. */
  address: string;
  /** With its `sk-`. */
  key: string;
}

function fill(template: string, { address, key }: Filling): string {
  // At the beginning of a template the address is the link's target; elsewhere it is a value inside the link.
  const led = template.startsWith('{address}') ? address + template.slice('{address}'.length) : template;
  return led
    .replaceAll('{address}', encodeURIComponent(address))
    .replaceAll('{key}', encodeURIComponent(key));
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Fills a template. Only http and https are opened. The key cannot change the target: the host is the one in the
 * configured link, whatever the key is.
 */
export function targetOf(template: string, filling: Filling): Target {
  const url = parse(fill(template, filling));
  if (!url) return { kind: 'bad' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return /^(?:javascript|data|vbscript|blob|file|about):$/.test(url.protocol)
      ? { kind: 'bad' }
      : { kind: 'app' };
  const other = parse(fill(template, { ...filling, key: 'other' }));
  if (url.origin !== other?.origin || url.username !== '' || url.password !== '') return { kind: 'bad' };
  return { kind: 'web', url: url.href, embeds: url.protocol === 'https:' };
}
