import type { OptionData, PublicSettings, SettingKey, SettingValue } from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';

/** An option that gets another text, for the audit: secrets as a mask. */
interface OptionChange {
  key: string;
  before: string;
  after: string;
}

/** The options table, as far as settings need it. Only what differs from a default is stored there. */
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
  /** Settings whose part does not exist: without effect, and their switches stay off. The declared ones by default. */
  withoutPart?: ReadonlySet<string>;
  /** Settings that the environment has switched off: without effect, but they may be saved. */
  overruled?: ReadonlySet<string>;
}

/** Hears which keys have a new value, after the new values are in force. */
export type SettingsListener = (changed: ReadonlySet<string>) => void;

/** The site's options: typed, in memory, in force at once. */
export interface Settings {
  /** The value in force. Synchronous and cheap: it may be asked for on every request. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /**
   * Saves one option from its text. Throws AppError in the specification's words when the text is no value or a toggle
   * lacks its credential or its part of Tollgate; the last good value then stays. Unknown keys are stored and kept.
   */
  set(key: string, text: string): Promise<void>;
  /** Saves several options together, all or none; what they require of each other is checked on the result. */
  setMany(texts: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Reads the table again, lets `make` say from what is in force what to save, and saves it, in one turn: of two at once
   * the second sees what the first saved. What `make` throws is thrown, and nothing is saved.
   */
  change(make: () => Readonly<Record<string, string>>): Promise<void>;
  /** Puts an option back to its default. */
  reset(key: SettingKey): Promise<void>;
  /** Reads the table again: another process changed it. A stored text that is no value leaves the last good one. */
  reload(): Promise<void>;
  /** Enters the defaults of this moment, some of which change on days that are known. */
  renew(): Promise<void>;
  /** Calls `listener` after every change; answers how to stop it. */
  onChange(listener: SettingsListener): () => void;
  /** Every option with its text, without secrets and whatever is named like one. */
  list(): OptionData[];
  /** The hidden options that are filled in. */
  secretsSet(): string[];
  /** What everybody may see, for GET /api/status. */
  publicStatus(): PublicSettings;
}
