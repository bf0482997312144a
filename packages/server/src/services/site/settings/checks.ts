import { AppError, declarationOf, isSettingKey, maxSettingLength, settingKeys } from '@tollgate/contract';
import { textOf, type State } from './state.ts';

/** The maximum length of the options table's key column on every database. */
const keyPattern = /^[\x21-\x7e]{1,191}$/;

/** The HTML parser is large, and most processes never save HTML. */
const cleaner = () => import('./markup/clean.ts');

/** The text to store. Throws AppError if the key is unusable or the text is not a valid value. */
export async function tidyText(key: string, text: string): Promise<string> {
  if (!keyPattern.test(key)) throw new AppError('setting_key_invalid');
  if (isSettingKey(key)) {
    const declared = declarationOf(key);
    const tidy = declared.tidy(text, key);
    return declared.markup ? (await cleaner()).cleanMarkup(tidy) : tidy;
  }
  if (text.length > maxSettingLength) throw new AppError('setting_too_long', { key, max: maxSettingLength });
  return text;
}

/** Refuses toggles whose required settings are missing (docs/compatibility.md#checks-on-save). */
export function checkRequirements(changed: Iterable<string>, after: State): void {
  for (const key of changed) {
    if (!isSettingKey(key)) continue;
    const { requires } = declarationOf(key);
    if (!requires || textOf(after, key) !== 'true') continue;
    if (requires.filled.some((other) => textOf(after, other) === '')) throw new AppError(requires.error);
  }
}

/**
 * Time in which a secret counts as just entered. Forms save each field with a separate call, in any order, so a secret
 * saved shortly before its new address belongs to that address.
 */
export const freshSecretMs = 60_000;

/**
 * The secrets to clear because their address changes: the stored secret must not be sent to a new address. A first
 * address changes nothing.
 */
export function orphanedSecrets(
  texts: ReadonlyMap<string, string>,
  before: State,
  isFresh: (key: string) => boolean,
): string[] {
  const orphans: string[] = [];
  for (const key of settingKeys) {
    const text = texts.get(key);
    const old = textOf(before, key);
    if (text === undefined || old === '' || text === old) continue;
    for (const other of declarationOf(key).guards ?? []) {
      if (!texts.has(other) && textOf(before, other) !== '' && !isFresh(other)) orphans.push(other);
    }
  }
  return orphans;
}
