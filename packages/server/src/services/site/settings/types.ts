import type { OptionData, PublicSettings, SettingKey, SettingValue } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';

/** A change of an option, for the audit log: secrets as a mask. */
interface OptionChange {
  key: string;
  before: string;
  after: string;
}

/** The part of the options table that settings need. It has only values that differ from the default. */
export interface OptionStore {
  all(): Promise<readonly OptionData[]>;
  /** Writes the rows in one transaction and marks the change for other processes; durable when it resolves. */
  put(rows: readonly OptionData[], changes: readonly OptionChange[]): Promise<void>;
}

export interface SettingsDeps {
  options: OptionStore;
  sealer: Sealer;
  log: Log;
  clock: Clock;
  /** Settings disabled by the environment: no effect, but they may be saved. */
  overruled?: ReadonlySet<string>;
}

/** Receives the keys with a new value, after the new values take effect. */
export type SettingsListener = (changed: ReadonlySet<string>) => void;

/** The site's options: typed, in memory, effective at once. */
export interface Settings {
  /** The effective value. Synchronous and fast: it may be read on every request. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /**
   * Saves one option from its text. Throws AppError if the text is not a valid value or a toggle lacks its credential;
   * the last valid value then stays. Unknown keys are stored.
   */
  set(key: string, text: string): Promise<void>;
  /** Saves several options, all or none; dependencies between them are checked on the result. */
  setMany(texts: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Reads the table again, computes the options to save by `make` from the present values, and saves them. Calls are
   * serialised: the second sees the result of the first. Errors of `make` are thrown, and nothing is saved.
   */
  change(make: () => Readonly<Record<string, string>>): Promise<void>;
  /** Resets an option to its default. */
  reset(key: SettingKey): Promise<void>;
  /** Reads the table again after a change in another process. An invalid stored text keeps the last valid value. */
  reload(): Promise<void>;
  /** Applies the defaults of the present time; some change on a given date. */
  renew(): Promise<void>;
  /** Calls `listener` after every change; returns a function that stops it. */
  onChange(listener: SettingsListener): () => void;
  /** Every option with its text, except secrets and keys with the name of a secret. */
  list(): OptionData[];
  /** The hidden options that have a value. */
  secretsSet(): string[];
  /** The public values, for GET /api/status. */
  publicStatus(): PublicSettings;
}
