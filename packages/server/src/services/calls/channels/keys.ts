import { AppError, keylessTypes } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import { isJson } from '../../../lib/json.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';

/** Seal place of a channel's key. */
export const keyPlace = (id: number): SealPlace => ({ column: 'channels.key', row: id });

/** Vertex and Codex: the key is a JSON text of several lines. */
const ofSeveralLines: ReadonlySet<number> = new Set([41, 57]);

/** Throws for characters that are invalid in headers: pasted text may have invisible ones. */
export function checkSendable(field: 'key' | 'openai_organization', text: string): void {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new AppError('channel_text_unsendable', { field });
}

/** Like `checkSendable`, but accepts a key that is a file: it is read and never sent. */
export function checkKey(type: number, key: string): void {
  if (!ofSeveralLines.has(type)) checkSendable('key', key);
}

/** Maximum number of channels that one form creates, and of keys of one channel. */
export const maxKeys = 1_000;

/** A key as stored: sealed, and its hash to find the channel by its exact key. */
export const sealKey = (
  sealer: Sealer,
  id: number,
  key: string,
): { key_sealed: string; key_hash: string } => ({
  key_sealed: sealer.seal(key, keyPlace(id)),
  key_hash: sha256(key),
});

/** Throws when the key was sealed with another master key, or for another channel. */
export const openKey = (sealer: Sealer, row: { id: number; key_sealed: string }): string =>
  sealer.open(row.key_sealed, keyPlace(row.id));

/** False for a channel that was saved without a key. */
export function hasKey(sealer: Sealer, row: { id: number; key_sealed: string }): boolean {
  try {
    return openKey(sealer, row) !== '';
  } catch {
    // An unreadable key counts as a key.
    return true;
  }
}

/**
 * The keys of a form: one per line, each for a separate channel (docs/compatibility.md#envelope-and-routes). A key that
 * is a file is not split by lines.
 */
export function splitKeys(type: number, text: string): string[] {
  const whole = text.trim();
  if (ofSeveralLines.has(type)) return whole === '' ? [] : [...new Set(filesOf(whole))];
  const keys = whole
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return [...new Set(keys)].slice(0, maxKeys);
}

/** The keys of a new channel's form; an empty one if its server works without a key. Throws `channel_incomplete`. */
export function keysOf({ type, key }: { type: number; key: string }): string[] {
  const keys = splitKeys(type, key);
  if (keys.length > 0) return keys;
  if (!keylessTypes.has(type)) throw new AppError('channel_incomplete');
  return [''];
}

/** Joins several keys to one text; the inverse of `splitKeys`. */
export const joinKeys = (type: number, keys: readonly string[]): string =>
  ofSeveralLines.has(type) ? `[${keys.map(asFile).join(',')}]` : keys.join('\n');

const asFile = (key: string): string => (isJson(key) ? key : JSON.stringify(key));

/** The files of a form: a JSON list has several. */
function filesOf(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const files = JSON.parse(text) as unknown[];
    return files.slice(0, maxKeys).map((file) => (typeof file === 'string' ? file : JSON.stringify(file)));
  } catch {
    return [text];
  }
}

/**
 * A few characters that distinguish keys without revealing them: none of a short key, the last four of a longer one.
 * The parts of a compound key (`id|secret`) are never shown whole.
 */
export function keyHint(key: string): string {
  if (key.startsWith('{')) return 'JSON';
  if (key.length < 16) return key === '' ? '' : '••••';
  return `${key.length >= 32 ? key.slice(0, 3) : ''}••••${key.slice(-4)}`;
}
