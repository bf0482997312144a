import type { Cache } from '../../../cache/index.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Log } from '../../../lib/log.ts';
import type { NamedText } from '../../../relay/types/index.ts';

/** Texts of translated answers, for callers who send an `item_reference` in the next call of a tool loop. */
export interface ReferencedTexts {
  /** Keeps texts for an hour, as far as there is room. Never rejects: without its text a reference is refused. */
  keep(userId: number, texts: readonly NamedText[]): Promise<void>;
  /** The text of a user's answer; undefined if it is not kept. */
  find(userId: number, id: string): Promise<string | undefined>;
}

const keepSeconds = 3_600;
/** A user has so many places; a later text replaces an earlier one in its place. */
const places = 128;
/** Characters; what models say before they call a tool is shorter. */
const maxText = 8_192;

const placeOf = (userId: number, id: string): string =>
  `referenced:${userId}:${Number.parseInt(sha256(id).slice(0, 8), 16) % places}`;

export const createReferencedTexts = ({ cache, log }: { cache: Cache; log: Log }): ReferencedTexts => ({
  async keep(userId, texts) {
    const short = texts.filter(({ text }) => text.length <= maxText);
    const writes = short.map(({ id, text }) => cache.set(placeOf(userId, id), `${id}\n${text}`, keepSeconds));
    await Promise.all(writes).catch((err: unknown) => log.warn({ err }, 'texts of an answer are not kept'));
  },
  async find(userId, id) {
    const kept = await cache.get(placeOf(userId, id)).catch(() => undefined);
    return kept?.startsWith(`${id}\n`) ? kept.slice(id.length + 1) : undefined;
  },
});
