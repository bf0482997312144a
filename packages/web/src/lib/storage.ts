import { pageSizes, type StatusData } from '@tollgate/contract';
import { firstLanguage, type Language } from './language.ts';
import {
  asChoice,
  asFlag,
  asJson,
  asOneOf,
  asText,
  storedValue,
  type Codec,
  type StoredValue,
} from './stored-value.ts';

/** The logged-in user as stored locally: for display and menus, never for a right. */
export interface StoredUser {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group: string;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isStoredUser = (value: unknown): value is StoredUser =>
  isObject(value) &&
  typeof value.id === 'number' &&
  typeof value.username === 'string' &&
  typeof value.role === 'number';

/** Whether a stored value is a status; checks only the fields that the frame needs before the server answers. */
const isStatus = (value: unknown): value is StatusData =>
  isObject(value) &&
  typeof value.setup === 'boolean' &&
  typeof value.quota_per_unit === 'number' &&
  Array.isArray(value.custom_oauth_providers);

/** A map of names to booleans: hidden columns of a table. */
const isFlags = (value: unknown): value is Record<string, boolean> =>
  isObject(value) && Object.values(value).every((entry) => typeof entry === 'boolean');

/** A map of names to texts. */
const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

/** i18next wrote tags like `en-US` under this key; only the language counts. */
const asLanguage: Codec<Language> = {
  read: (text) => (text.startsWith('en') ? 'en' : text.startsWith('zh') ? 'zh' : undefined),
  write: (value) => value,
};

export type ThemeMode = 'light' | 'dark' | 'auto';

/** All keys of local storage, under the names of the specification where it has one. */
export const stored = {
  user: storedValue<StoredUser, null>('user', null, asJson(isStoredUser)),
  status: storedValue<StatusData, null>('status', null, asJson(isStatus)),
  language: storedValue<Language>('i18nextLng', firstLanguage(navigator.languages), asLanguage),
  themeMode: storedValue<ThemeMode>('theme-mode', 'auto', asChoice(['light', 'dark', 'auto'])),
  /** The user's own choice; '' leaves it to the site (`default_collapse_sidebar` of the status). */
  sidebarCollapsed: storedValue<'' | 'true' | 'false'>(
    'default_collapse_sidebar',
    '',
    asChoice(['', 'true', 'false']),
  ),
  /** Whether the submenu of chat applications is open in the sidebar. */
  chatMenuOpened: storedValue<boolean>('chat-menu-opened', false, asFlag),
  pageSize: storedValue<(typeof pageSizes)[number]>('page-size', pageSizes[0], asOneOf(pageSizes)),
  /** Channels by id instead of priority. */
  idSort: storedValue<boolean>('id-sort', false, asFlag),
  /** Dismissed hints by name, separated by commas. */
  hiddenHints: storedValue<string>('hidden-hints', '', asText),
  /** Whether a receipt was opened on this device: the last of the first steps. */
  receiptSeen: storedValue<boolean>('receipt-seen', false, asFlag),
  /** The mark of the announcement that each user read on this device, by user id; 0 for guests. */
  noticesRead: storedValue<Record<string, string>>('notices-read', {}, asJson(isTexts)),
} as const;

/**
 * Values of the status that other tools of the same site read from local storage. The console itself reads the status and
 * only writes these.
 */
const mirrored = [
  'chats',
  'enable_data_export',
  'enable_drawing',
  'enable_task',
  'mj_notify_enabled',
  'footer_html',
  'system_name',
  'logo',
  'quota_per_unit',
  'display_in_currency',
  'data_export_default_time',
  'docs_link',
] as const;

/** Stores the status for the next start, whole and key by key. */
export function keepStatus(status: StatusData): void {
  stored.status.set(status);
  const entries: Record<string, unknown> = { ...status };
  for (const key of mirrored) {
    const value = entries[key];
    if (value === undefined) continue;
    try {
      window.localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
    } catch {
      return;
    }
  }
}

const columnStores = new Map<string, ReturnType<typeof columnStore>>();
const columnStore = (table: string) =>
  storedValue<Record<string, boolean>>(`columns-${table}`, {}, asJson(isFlags));

/** Columns of a table that a user shows or hides; other columns have the table's default. */
export function columnChoice(table: string) {
  const known = columnStores.get(table) ?? columnStore(table);
  columnStores.set(table, known);
  return known;
}

const viewStores = new Map<string, StoredValue<Record<string, string>>>();

/** The saved views of a table: the query of an address by its given name. */
export function tableViews(table: string) {
  const known = viewStores.get(table) ?? storedValue(`views-${table}`, {}, asJson(isTexts));
  viewStores.set(table, known);
  return known;
}

/** Prefix of keys with the user's own content; they are removed at log-out. */
export const personalPrefix = 'mine-';

/** Removes the user's own content, whether or not its page was opened in this visit (ASVS 14.3.1). */
export function forgetPersonal(): void {
  try {
    for (const key of Object.keys(window.localStorage))
      if (key.startsWith(personalPrefix)) window.localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to remove.
  }
}
