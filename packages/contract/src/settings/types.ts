import type { ErrorCode, Words } from '../errors.ts';

/** Pages of the settings. */
export const settingTabs = ['general', 'sign-in', 'groups', 'payments', 'logs', 'advanced'] as const;
export type SettingTab = (typeof settingTabs)[number];

/** Type of a value. It determines the field on the settings page. */
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

/** Condition for switching on a toggle (docs/compatibility.md#checks-on-save). */
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
   * Field of the setting in GET /api/status (docs/compatibility.md#envelope-and-routes). Only root sees settings
   * without one.
   */
  publicAs?: string;
  requires?: Requirement;
  /** Markdown or HTML that the console shows. Saving removes active content. */
  markup?: true;
  /** Custom editor that replaces the kind's own field. */
  widget?: `custom:${string}`;
  /** Stored for compatibility with other programs' options, but without effect here. The settings page omits it. */
  unused?: true;
  /**
   * Secrets that are sent to this address. A change of the address empties them, so that it cannot redirect a stored
   * secret.
   */
  guards?: readonly string[];
}

/** One declared setting, with all facts for the server, the settings page and the tests. */
export interface Setting<Value> extends SettingSpec {
  kind: SettingKind;
  default: Value;
  /** Default at a time in Unix ms, if it changes on known days. The object stays the same between changes. */
  defaultAt?(time: number): Value;
  /** Encrypted in the database and absent from answers. */
  secret: boolean;
  /** Bounds of numbers. */
  min?: number;
  max?: number;
  choices?: readonly string[];
  /**
   * Parses a text. Throws AppError with the documented message if it is invalid. `key` is the setting's name in the
   * message: its key in the API, its label on the settings page.
   */
  parse(text: string, key: string): Value;
  /** Text of a value. `parse(format(value))` returns the same value. */
  format(value: Value): string;
  /** Text to store for a valid text: normalised, with its layout. */
  tidy(text: string, key: string): string;
}

/** A section of the settings page. */
export interface SettingGroup<Settings extends Record<string, unknown>> {
  tab: SettingTab;
  title: Words;
  settings: Settings;
}
