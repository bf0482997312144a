import { AppError, secretMask } from '@tollgate/contract';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readJsonObject } from './parse.ts';
import { joinProxy, maskedProxy, splitProxy } from './proxy-address.ts';

/** The member of a stored `setting` that holds the sealed password of its proxy; never on the wire. */
const passwordField = 'proxy_password';

/** Seal place of a channel's proxy password. */
export const proxyPlace = (id: number): SealPlace => ({ column: 'channels.setting.proxy_password', row: id });

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const isMask = (password: string): boolean =>
  password === secretMask || password === encodeURIComponent(secretMask);

/** A `setting` without its proxy's password, and the removed password. */
interface Taken {
  setting: JsonObject;
  /** '' for none. */
  password: string;
}

function take(text: string): Taken | null {
  const setting = readJsonObject(text);
  if (!setting) return null;
  const { address, password } = splitProxy(textOf(setting.proxy));
  return { setting: { ...setting, proxy: address }, password };
}

/** A stored or sent `setting` as answers show it: the password of the proxy is a mask. */
export function maskedSetting(text: string): string {
  const taken = take(text);
  if (!taken) return text;
  const { [passwordField]: sealed, ...setting } = taken.setting;
  if (sealed === undefined && taken.password === '') return text;
  const hasPassword = textOf(sealed) !== '' || taken.password !== '';
  return JSON.stringify({ ...setting, ...(hasPassword && { proxy: maskedProxy(textOf(setting.proxy)) }) });
}

/** The stored password of a channel's proxy; '' for none. Throws when it was sealed for another channel or key. */
export function openProxyPassword(sealer: Sealer, row: { id: number; setting: string }): string {
  const sealed = textOf(readJsonObject(row.setting)?.[passwordField]);
  return sealer.open(sealed, proxyPlace(row.id));
}

/**
 * A submitted `setting` in its stored form: the proxy's password is encrypted for this channel. The mask keeps the
 * stored password for the same proxy only; throws `channel_proxy_password_required` for another.
 */
export function sealedSetting(sealer: Sealer, id: number, text: string, stored: string): string {
  const taken = take(text);
  if (!taken) return text;
  const { [passwordField]: unwanted, ...setting } = taken.setting;
  if (taken.password === '') return unwanted === undefined ? text : JSON.stringify(setting);
  if (!isMask(taken.password)) {
    const password = sealer.seal(taken.password, proxyPlace(id));
    return JSON.stringify({ ...setting, [passwordField]: password });
  }
  const before = readJsonObject(stored) ?? {};
  const kept = textOf(before[passwordField]);
  if (kept === '' || textOf(before.proxy) !== textOf(setting.proxy))
    throw new AppError('channel_proxy_password_required');
  return JSON.stringify({ ...setting, [passwordField]: kept });
}

/** A stored `setting` with a plain password, now encrypted; null if there is nothing to do. */
export function sealFormerSetting(sealer: Sealer, row: { id: number; setting: string }): string | null {
  const taken = take(row.setting);
  return taken && taken.password !== '' ? sealedSetting(sealer, row.id, row.setting, '') : null;
}

/** A stored `setting` with the decrypted password in its proxy's address. */
export function withProxyPassword(text: string, password: string): string {
  const setting = readJsonObject(text);
  if (!setting || password === '') return text;
  const { [passwordField]: _sealed, ...rest } = setting;
  return JSON.stringify({ ...rest, proxy: joinProxy(textOf(setting.proxy), password) });
}
