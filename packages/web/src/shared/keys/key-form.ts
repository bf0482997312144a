import type { CallOf, TokenData, tokenApi } from '@tollgate/contract';
import type { Translate } from '../../lib/i18n.ts';
import { fromDateText, toDateText } from '../../shared/date-time/date-text.ts';
import { regionsProblem, tidyRegions } from '../channel-rule.tsx';
import { formText } from './key-text.ts';

/** The fields of a key, independent of its payer. */
export type TokenCall = CallOf<typeof tokenApi.create>;

export interface TokenForm extends Record<string, unknown> {
  name: string;
  /** Local time as `YYYY-MM-DD HH:mm:ss`; null for never. */
  expires: string | null;
  unlimited: boolean;
  quota: number | string;
  /** '' for the user's own. */
  group: string;
  /** Of the group auto. */
  crossesGroups: boolean;
  models: string[];
  addresses: string;
  /** Comma list; '' for all. */
  regions: string;
  noRetention: boolean;
  /** Number of keys to create. */
  count: number | string;
}

/** The group of keys that use one of several groups. */
export const autoGroup = 'auto';
/** Initial quota of a new token. */
const defaultQuota = 500_000;
/** The longest name the server takes, in bytes (docs/compatibility.md#envelope-and-routes). */
const maxNameBytes = 30;
/** Maximum number of tokens created at once. */
const maxCount = 100;

export const newTokenForm: TokenForm = {
  name: '',
  expires: null,
  unlimited: false,
  quota: defaultQuota,
  group: '',
  crossesGroups: false,
  models: [],
  addresses: '',
  regions: '',
  noRetention: false,
  count: 1,
};

/** The text of the date field → Unix seconds; −1 for never, NaN for an invalid date. */
const toSeconds = (text: string | null): number => fromDateText(text) ?? -1;

export const formOf = (token: TokenData): TokenForm => ({
  name: token.name,
  expires: token.expired_time === -1 ? null : toDateText(token.expired_time),
  unlimited: token.unlimited_quota,
  quota: token.remain_quota,
  group: token.group,
  crossesGroups: token.cross_group_retry,
  models: token.model_limits_enabled ? token.model_limits.split(',').filter(Boolean) : [],
  addresses: token.allow_ips,
  regions: token.regions,
  noRetention: token.no_retention,
  count: 1,
});

const isWhole = (value: number | string, min: number, max: number): boolean =>
  value !== '' && Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max;

/** Validation of the fields; the server checks them again. */
export const rules = (t: Translate) => ({
  name: (value: string) => {
    if (value.trim() === '') return t(formText.nameRequired);
    return new TextEncoder().encode(value.trim()).length > maxNameBytes ? t(formText.nameLong) : null;
  },
  expires: (value: string | null) => (Number.isNaN(toSeconds(value)) ? t(formText.expiresMalformed) : null),
  quota: (value: number | string, values: TokenForm) =>
    values.unlimited || isWhole(value, 0, Number.MAX_SAFE_INTEGER) ? null : t(formText.quotaInteger),
  regions: (value: string) => regionsProblem(t, value),
  count: (value: number | string) => (isWhole(value, 1, maxCount) ? null : t(formText.countInvalid)),
});

/** The input of the call that a filled form makes. */
const toCall = (form: TokenForm): TokenCall => ({
  name: form.name.trim(),
  expired_time: toSeconds(form.expires),
  unlimited_quota: form.unlimited,
  remain_quota: Number(form.quota) || 0,
  group: form.group,
  cross_group_retry: form.group === autoGroup && form.crossesGroups,
  model_limits_enabled: form.models.length > 0,
  model_limits: form.models.join(','),
  allow_ips: form.addresses.trim(),
  regions: tidyRegions(form.regions),
  no_retention: form.noRetention,
});

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Lists show a shortened key; one with dots is never usable. */
export const isShortened = (key: string): boolean => key.includes('…') || key.includes('*');

/** The key as clients send it. */
export const wholeKey = (token: Pick<TokenData, 'key'>): string => `sk-${token.key}`;

/** Six random characters that distinguish names. They protect nothing, so their slight bias does not matter. */
const suffix = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]).join('');

/** One call for each token; from the second on the name has a suffix. */
export function toCalls(form: TokenForm): TokenCall[] {
  const first = toCall(form);
  return Array.from({ length: Number(form.count) }, (_, index) =>
    index === 0 ? first : { ...first, name: `${first.name}-${suffix()}` },
  );
}

/** The fields that differ from the stored token: only these are sent. */
export function changesOf(form: TokenForm, token: TokenData): Partial<TokenCall> {
  const wanted = Object.entries(toCall(form));
  const before: Record<string, unknown> = { ...token };
  return Object.fromEntries(wanted.filter(([name, value]) => before[name] !== value));
}
