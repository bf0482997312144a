import {
  declarationOf,
  isHiddenKey,
  isSettingKey,
  type OptionData,
  type PublicSettings,
  type SettingKey,
  settingKeys,
} from '@tollgate/contract';
import type { Log } from '../../lib/log.ts';
import type { Sealer, SealPlace } from '../../lib/seal.ts';

/** All options at one moment; replaced as a whole, never changed. */
export interface State {
  /** Stored texts by key, secrets opened; keys without one have their default. */
  readonly texts: ReadonlyMap<string, string>;
  /** Values of the declared keys. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Keys that have no effect whatever is stored. */
  readonly idle: ReadonlySet<string>;
}

/** The value in force of a setting that has no effect: a switch is off, anything else is as if never filled in. */
const idleValue = (key: SettingKey): unknown => {
  const { kind, default: initial } = declarationOf(key);
  return kind === 'toggle' ? false : initial;
};

/** Every setting at its default; those in `idle` have no effect. */
export const initialState = (idle: ReadonlySet<string>): State => ({
  texts: new Map(),
  values: Object.fromEntries(
    settingKeys.map((key) => [key, idle.has(key) ? idleValue(key) : declarationOf(key).default]),
  ),
  idle,
});

/** The state with some texts replaced. Throws AppError when one of a declared key is no value. */
export function withTexts(state: State, texts: Iterable<readonly [key: string, text: string]>): State {
  const nextTexts = new Map(state.texts);
  const nextValues = { ...state.values };
  for (const [key, text] of texts) {
    if (isSettingKey(key)) {
      const value = declarationOf(key).parse(text, key);
      nextValues[key] = state.idle.has(key) ? idleValue(key) : value;
    }
    nextTexts.set(key, text);
  }
  return { texts: nextTexts, values: nextValues, idle: state.idle };
}

/** The text in force: stored, or of the default. */
export function textOf(state: State, key: string): string {
  const stored = state.texts.get(key);
  if (stored !== undefined) return stored;
  if (!isSettingKey(key)) return '';
  const declared = declarationOf(key);
  return declared.format(declared.default);
}

/** Keys whose text differs between two states. */
export function changedKeys(before: State, after: State): Set<string> {
  const keys = new Set([...before.texts.keys(), ...after.texts.keys()]);
  return new Set([...keys].filter((key) => textOf(before, key) !== textOf(after, key)));
}

/** True for the keys whose texts are sealed at rest: declared secrets, and unknown keys that are named like one. */
export const isSealedKey = (key: string): boolean =>
  isSettingKey(key) ? declarationOf(key).secret : isHiddenKey(key);

/** Where the sealed text of an option belongs. */
export const optionPlace = (key: string): SealPlace => ({ column: 'options.value', row: key });

/** A row as it is stored. */
export const toRow = (sealer: Sealer, key: string, text: string): OptionData => ({
  key,
  value: isSealedKey(key) ? sealer.seal(text, optionPlace(key)) : text,
});

/**
 * The state that the rows describe. A row that cannot be opened or is no value (edited by hand, sealed with another
 * master key) is reported and leaves what `last` had, so that one bad row never takes the site down.
 */
export function readRows(
  rows: readonly OptionData[],
  last: State,
  { sealer, log }: { sealer: Sealer; log: Log },
): State {
  let state = initialState(last.idle);
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

/** The fields of the public status, by the names they are declared with. */
export function readPublic(state: State): PublicSettings {
  const fields: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const { publicAs } = declarationOf(key);
    if (publicAs !== undefined) fields[publicAs] = state.values[key];
  }
  return fields as PublicSettings;
}
