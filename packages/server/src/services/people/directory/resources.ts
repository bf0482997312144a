import { AppError, isMailAddress } from '@tollgate/contract';
import { z } from 'zod';
import type { scimGroups, scimUsers } from '../../../store/index.ts';
import type { Resource, Shape } from './patch.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const byLowerCase = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name.toLowerCase(), name]));

/** What clients write of a user. */
export const userShape: Shape = {
  username: { name: 'userName', kind: 'simple' },
  externalid: { name: 'externalId', kind: 'simple' },
  displayname: { name: 'displayName', kind: 'simple' },
  active: { name: 'active', kind: 'simple' },
  name: { name: 'name', kind: 'object', members: byLowerCase(['formatted', 'familyName', 'givenName']) },
  emails: { name: 'emails', kind: 'list', members: byLowerCase(['value', 'type', 'primary']) },
};

/** What clients write of a group. */
export const groupShape: Shape = {
  displayname: { name: 'displayName', kind: 'simple' },
  externalid: { name: 'externalId', kind: 'simple' },
  members: { name: 'members', kind: 'list', members: byLowerCase(['value']) },
};

const maxText = 255;
const maxEmails = 20;
/** Most members of one group, and of the groups of one page unless it has a single one. */
export const maxMembers = 20_000;

const text = z
  .string()
  .trim()
  .max(maxText)
  // Columns have the text in lower case, which may be longer.
  .refine((value) => value.toLowerCase().length <= maxText);
/** '' and null are as good as absent. */
const optional = text.nullish().transform((value) => value || undefined);
/** Entra writes `"False"`. */
const flag = z.preprocess(
  (value) => (typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value),
  z.boolean(),
);

const person = z.object({
  userName: text.min(1),
  externalId: optional,
  displayName: optional,
  name: z
    .object({ formatted: optional, familyName: optional, givenName: optional })
    .nullish()
    .transform((value) => value ?? undefined),
  emails: z
    .array(z.object({ value: optional, type: optional, primary: flag.nullish() }))
    .max(maxEmails)
    .nullish()
    .transform((list) =>
      (list ?? []).flatMap(({ value, type, primary }) =>
        value === undefined
          ? []
          : [
              {
                value,
                ...(type !== undefined && { type }),
                ...(typeof primary === 'boolean' && { primary }),
              },
            ],
      ),
    ),
  active: flag.optional(),
});
/** A user as the directory sends it. */
export type Person = z.output<typeof person>;

const group = z.object({
  displayName: text.min(1),
  externalId: optional,
  members: z
    .array(z.object({ value: text.min(1) }))
    .max(maxMembers)
    .nullish()
    .transform((list) => [...new Set((list ?? []).map(({ value }) => value))]),
});
/** A group as the directory sends it; members by the ids of their resources. */
export type Group = z.output<typeof group>;

function check<T>(schema: z.ZodType<T>, resource: Resource): T {
  const parsed = schema.safeParse(resource);
  if (parsed.success) return parsed.data;
  throw new AppError('scim_value', { attribute: parsed.error.issues[0]?.path.join('.') ?? '' });
}

/** Throws `scim_value`. */
export const checkPerson = (resource: Resource): Person => check(person, resource);
/** Throws `scim_value`. */
export const checkGroup = (resource: Resource): Group => check(group, resource);

/** The primary or first address, or else a user name that is one; '' for none. */
export function addressOf({ emails, userName }: Person): string {
  const found = emails.find(({ primary }) => primary) ?? emails[0];
  if (found) return found.value;
  return isMailAddress(userName) ? userName : '';
}

/** The name that the console shows. */
export const shownName = ({ displayName, name, userName }: Person): string =>
  displayName ??
  name?.formatted ??
  ([name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ') || userName);

const withoutAbsent = (fields: Readonly<Record<string, unknown>>): Resource =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The columns of a user that the directory decides. */
export function columnsOf(
  sent: Person,
): Pick<scimUsers.ScimUserRow, 'name_key' | 'display_key' | 'external_id' | 'emails' | 'profile'> {
  const { userName, displayName, name, emails, externalId = '' } = sent;
  const lines = emails.map(({ value }) => `${value.toLowerCase()}\n`).join('');
  return {
    name_key: userName.toLowerCase(),
    display_key: (displayName ?? '').toLowerCase(),
    external_id: externalId,
    emails: lines === '' ? '' : `\n${lines}`,
    profile: JSON.stringify({ userName, displayName, name, emails }),
  };
}

/** The attributes of a user that clients may write. */
export const writtenPerson = (row: scimUsers.ScimUserRow): Resource =>
  withoutAbsent({
    ...(JSON.parse(row.profile) as Resource),
    externalId: row.external_id === '' ? undefined : row.external_id,
    active: row.active === 1,
  });

const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** The common end of resources; `base` is the address of the SCIM calls. */
const metaOf = (
  type: 'User' | 'Group',
  id: string,
  row: { created_time: number; changed_time: number },
  base: string,
): Resource => ({
  resourceType: type,
  created: dateOf(row.created_time),
  lastModified: dateOf(row.changed_time),
  location: `${base}/${type}s/${id}`,
});

/** A user for the directory. */
export function showPerson(
  row: scimUsers.ScimUserRow,
  groups: readonly scimGroups.Membership[],
  base: string,
): Resource {
  const { emails, ...written } = writtenPerson(row);
  const list = emails as Person['emails'];
  return {
    schemas: [userSchema],
    id: row.resource_id,
    ...written,
    ...(list.length > 0 && { emails: list }),
    ...(groups.length > 0 && {
      groups: groups.map(({ groupId, groupName }) => ({
        value: String(groupId),
        $ref: `${base}/Groups/${groupId}`,
        display: groupName,
        type: 'direct',
      })),
    }),
    meta: metaOf('User', row.resource_id, row, base),
  };
}

/** A group for the directory. */
export const showGroup = (
  row: scimGroups.ScimGroupRow,
  members: readonly scimGroups.Membership[],
  base: string,
): Resource => ({
  schemas: [groupSchema],
  id: String(row.id),
  ...(row.external_id !== '' && { externalId: row.external_id }),
  displayName: row.name,
  ...(members.length > 0 && {
    members: members.map(({ resourceId, nameKey }) => ({
      value: resourceId,
      $ref: `${base}/Users/${resourceId}`,
      display: nameKey,
      type: 'User',
    })),
  }),
  meta: metaOf('Group', String(row.id), row, base),
});
