import {
  declarationOf,
  isHiddenKey,
  isSettingKey,
  type OptionData,
  type PublicSettings,
  type Setting,
  type SettingKey,
  settingKeys,
} from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';

/** All options at one moment; replaced as a whole, never changed. */
export interface State {
  /** Stored texts by key, secrets decrypted; keys without one have their default. */
  readonly texts: ReadonlyMap<string, string>;
  /** Values of the declared keys. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Keys without effect, regardless of their stored value. */
  readonly idle: ReadonlySet<string>;
  /** The time of the defaults, in Unix ms. */
  readonly at: number;
}

/** The default of a setting at a time. */
function defaultOf(key: SettingKey, at: number): unknown {
  const declared = declarationOf(key);
  return declared.defaultAt?.(at) ?? declared.default;
}

/** True if a setting has another default at another time. */
export const defaultsDiffer = (at: number, then: number): boolean =>
  settingKeys.some((key) => defaultOf(key, at) !== defaultOf(key, then));

/** The effective value of a setting without effect: a toggle is off, all others are empty. */
const idleValue = (key: SettingKey, at: number): unknown =>
  declarationOf(key).kind === 'toggle' ? false : defaultOf(key, at);

/** Every setting at its default at a time; those in `idle` have no effect. */
export const initialState = (idle: ReadonlySet<string>, at: number): State => ({
  texts: new Map(),
  values: Object.fromEntries(
    settingKeys.map((key) => [key, idle.has(key) ? idleValue(key, at) : defaultOf(key, at)]),
  ),
  idle,
  at,
});

/** The state with some texts replaced. Throws AppError if the text of a declared key is not a valid value. */
export function withTexts(state: State, texts: Iterable<readonly [key: string, text: string]>): State {
  const nextTexts = new Map(state.texts);
  const nextValues = { ...state.values };
  for (const [key, text] of texts) {
    if (isSettingKey(key)) {
      const value = declarationOf(key).parse(text, key);
      nextValues[key] = state.idle.has(key) ? idleValue(key, state.at) : value;
    }
    nextTexts.set(key, text);
  }
  return { ...state, texts: nextTexts, values: nextValues };
}

/** The effective text: stored, or the default. */
export function textOf(state: State, key: string): string {
  const stored = state.texts.get(key);
  if (stored !== undefined) return stored;
  if (!isSettingKey(key)) return '';
  return formatDefault(key, state.at);
}

/** The text of a setting's default at a time. */
export function formatDefault(key: SettingKey, at: number): string {
  const declared = declarationOf(key) as Setting<unknown>;
  return declared.format(defaultOf(key, at));
}

/** The same with the defaults of another time. */
export const withDefaultsOf = (at: number, state: State): State =>
  withTexts(initialState(state.idle, at), state.texts);

/** Keys whose text differs between two states. */
export function changedKeys(before: State, after: State): Set<string> {
  const dated = settingKeys.filter((key) => defaultOf(key, before.at) !== defaultOf(key, after.at));
  const keys = new Set([...before.texts.keys(), ...after.texts.keys(), ...dated]);
  return new Set([...keys].filter((key) => textOf(before, key) !== textOf(after, key)));
}

/** True for keys with encrypted texts: declared secrets, and unknown keys with the name of a secret. */
export const isSealedKey = (key: string): boolean =>
  isSettingKey(key) ? declarationOf(key).secret : isHiddenKey(key);

/** The seal place of an option. */
export const optionPlace = (key: string): SealPlace => ({ column: 'options.value', row: key });

/** A row in its stored form. */
export const toRow = (sealer: Sealer, key: string, text: string): OptionData => ({
  key,
  value: isSealedKey(key) ? sealer.seal(text, optionPlace(key)) : text,
});

/**
 * The state of the rows at a time. A row that cannot be decrypted or has an invalid value (edited by hand, encrypted
 * with another master key) is reported and keeps its value of `last`, so that one invalid row never takes the site
 * down.
 */
export function readRows(
  rows: readonly OptionData[],
  last: State,
  at: number,
  { sealer, log }: { sealer: Sealer; log: Log },
): State {
  let state = initialState(last.idle, at);
  for (const { key, value } of rows) {
    try {
      const text = isSealedKey(key) ? sealer.open(value, optionPlace(key)) : value;
      state = withTexts(state, [[key, text]]);
    } catch (error) {
      log.error(
        { option: key, reason: String(error) },
        'a stored option cannot be used; its last good value stays',
      );
      const good = last.texts.get(key);
      if (good !== undefined) state = withTexts(state, [[key, good]]);
    }
  }
  return state;
}

/** The fields of the public status, by their declared names. */
export function readPublic(state: State): PublicSettings {
  const fields: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const { publicAs } = declarationOf(key);
    if (publicAs !== undefined) fields[publicAs] = state.values[key];
  }
  return fields as PublicSettings;
}
