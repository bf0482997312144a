import type { ErrorCode, Words } from '../errors.ts';

/** Pages of the settings. */
export const settingTabs = ['general', 'sign-in', 'groups', 'payments', 'logs', 'advanced'] as const;
export type SettingTab = (typeof settingTabs)[number];

/** The form of a value, and with it its field on the settings page. */
export type SettingKind =
  | 'toggle'
  | 'integer'
  | 'decimal'
  | 'text'
  | 'url'
  | 'longText'
  | 'secret'
  | 'list'
  | 'lines'
  | 'json'
  | 'choice';

/** What must be filled in before a toggle may be switched on (docs/compatibility.md#checks-on-save). */
export interface Requirement {
  /** Keys that must not be empty. */
  filled: readonly string[];
  error: ErrorCode;
}

/** Properties of a setting of any kind. */
export interface SettingSpec {
  label: Words;
  /** One line below the field. */
  help: Words;
  /**
   * Its field of GET /api/status (docs/compatibility.md#envelope-and-routes); only root sees settings without one.
   */
  publicAs?: string;
  requires?: Requirement;
  /** Markdown or HTML that the console shows: cleaned of what acts when it is saved. */
  markup?: true;
  /** A hand-made editor instead of the kind's own field. */
  widget?: `custom:${string}`;
  /** Kept so that other programs' options survive, but without effect here: not on the settings page. */
  unused?: true;
  /**
   * Secrets that go to this address: moving the address empties them, so that changing an address is not
   * enough to have the stored secret sent there.
   */
  guards?: readonly string[];
}

/** One declared setting: everything the server, the settings page and the tests know of it. */
export interface Setting<Value> extends SettingSpec {
  kind: SettingKind;
  default: Value;
  /** The default at a moment, Unix ms, where it changes on days that are known; the same object in between. */
  defaultAt?(time: number): Value;
  /** Sealed in the database and never answered. */
  secret: boolean;
  /** Bounds of numbers. */
  min?: number;
  max?: number;
  choices?: readonly string[];
  /**
   * Parses a text; throws AppError with the documented message if it is invalid. `key` names the setting in the
   * message: its key in the API, its label on the settings page.
   */
  parse(text: string, key: string): Value;
  /** The text of a value, such that `parse(format(value))` is that value. */
  format(value: Value): string;
  /** The text to store for an accepted text: normalised, with its layout. */
  tidy(text: string, key: string): string;
}

/** A section of the settings page. */
export interface SettingGroup<Settings extends Record<string, unknown>> {
  tab: SettingTab;
  title: Words;
  settings: Settings;
}
