import { isHiddenKey, secretMask } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { AuditValue, Changes } from './types.ts';

/** Secret columns with harmless names, and their names in a record. */
const sealedNames: Readonly<Record<string, string>> = {
  key_sealed: 'key',
  access_token_hash: 'access_token',
  client_secret_sealed: 'client_secret',
};
/** Columns that are derived from others. */
const followers: ReadonlySet<string> = new Set(['key_hash', 'key_hint', 'updated_time']);

/** Maximum length of one recorded value in characters. */
const maxText = 2_000;
/** Maximum number of fields in one record; for a larger change the record has the number of further fields. */
const maxFields = 100;

const isSecret = (name: string): boolean => isHiddenKey(name) || Object.hasOwn(sealedNames, name);

const masked = (value: unknown): string =>
  value === '' || value === null || value === undefined ? '' : secretMask;

/** A structure without its secrets, at any depth. */
const withoutSecrets = (value: unknown): string =>
  JSON.stringify(value, (name, member: unknown) => (isSecret(name) ? masked(member) : member));

function shown(name: string, value: unknown): AuditValue {
  if (isSecret(name)) return masked(value);
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : withoutSecrets(value);
  return text.length > maxText ? `${text.slice(0, maxText)}… (${text.length})` : text;
}

/** The members of a JSON object in a text; null for any other text. */
function membersOf(value: unknown): Record<string, unknown> | null {
  if (value === '' || value === null || value === undefined) return {};
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

type Difference = [name: string, before: AuditValue, after: AuditValue];

const same = (before: unknown, after: unknown): boolean =>
  before === after || JSON.stringify(before) === JSON.stringify(after);

/** The change of a field; if both texts are JSON objects, the changes of their members. */
function differencesOf(name: string, before: unknown, after: unknown): Difference[] {
  if (same(before, after)) return [];
  const [from, to] = [membersOf(before), membersOf(after)];
  const isStructured = from && to && Object.keys(from).length + Object.keys(to).length > 0;
  if (!isStructured || isSecret(name)) {
    return [[sealedNames[name] ?? name, shown(name, before), shown(name, after)]];
  }
  const members = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return members
    .filter((member) => !same(from[member], to[member]))
    .map((member) => [`${name}.${member}`, shown(member, from[member]), shown(member, to[member])]);
}

/**
 * The columns of `after` that differ from `before`, secrets as a mask. JSON objects in texts are compared member by
 * member, so that one changed price among a thousand is one line.
 */
export function differences(before: object, after: object): Changes {
  const found = Object.entries(after)
    .filter(([name]) => !followers.has(name))
    .flatMap(([name, value]) => differencesOf(name, (before as Record<string, unknown>)[name], value));
  const kept = found.slice(0, maxFields);
  const rest = found.length - kept.length;
  return Object.fromEntries([
    ...kept.map(([name, was, is]) => [name, { before: was, after: is }] as const),
    ...(rest > 0 ? [['…', { before: null, after: rest }] as const] : []),
  ]);
}
