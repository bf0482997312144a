import { expect, it } from 'vitest';
import { parseScimFilter } from '../../../lib/scim-filter.ts';
import { eachDialect } from '../../each-dialect.ts';
import type { Store } from '../../open.ts';
import * as accounts from '../accounts.ts';
import * as users from '../users.ts';
import { UnusableFilter } from './filter-rows.ts';
import * as scimGroups from './scim-groups.ts';
import * as scimUsers from './scim-users.ts';

const page = { offset: 0, limit: 10 };

async function person(
  { db }: Store,
  name: string,
  more: Partial<scimUsers.ScimUserRow> = {},
): Promise<number> {
  const userId = await users.create(db, {
    account_id: await accounts.create(db),
    username: name,
    created_time: 1,
  });
  const row = {
    resource_id: `r-${name}`,
    user_id: userId,
    name_key: `${name}@x.example`,
    display_key: name,
    external_id: `E-${name}`,
    emails: `\n${name}@x.example\n${name}_100%@home.example\n`,
    profile: '{}',
    active: 1,
    deleted_time: null,
    created_time: 1_000,
    changed_time: 2_000,
    ...more,
  };
  expect(await scimUsers.add(db, row)).toBe(true);
  return userId;
}

eachDialect('users and groups of a directory', ({ open }) => {
  it('are found by the filters of directories', async () => {
    const store = await open();
    const { db } = store;
    const ann = await person(store, 'ann');
    const bob = await person(store, 'bob', { active: 0, changed_time: 3_000 });
    const gone = await person(store, 'gone', { deleted_time: 5 });
    const made = { external_id: '', created_time: 1, changed_time: 1 };
    const staff = await scimGroups.create(db, { ...made, name: 'Staff', name_key: 'staff' });
    const leads = await scimGroups.create(db, { ...made, name: 'Leads', name_key: 'leads' });
    for (const userId of [ann, bob, gone, ann]) await scimGroups.addMember(db, staff, userId);

    const named = async (filter: string) =>
      (await scimUsers.list(db, parseScimFilter(filter)!, page)).rows.map(({ display_key }) => display_key);
    for (const [filter, found] of [
      ['userName eq "ANN@x.example"', ['ann']],
      ['userName eq "ann@x.example " or externalId eq "E-bob"', ['ann', 'bob']],
      ['externalId eq "e-ann"', []],
      ['id eq "r-ann"', ['ann']],
      ['emails.value eq "Bob@X.example"', ['bob']],
      ['emails[type eq "work"].value eq "bob@x.example"', ['bob']],
      ['emails[type eq "work" and value eq "ob@x.example"]', []],
      ['emails.value eq "bob_100%@home.example"', ['bob']],
      ['emails.value eq "bob%"', []],
      ['emails.value eq "b\u00f6b@x.example"', []],
      ['emails.value eq "bob@x.ex\u00e4mple" or not (emails.value ne "b\u00f3b@x.example")', []],
      ['emails co "BOB_"', ['bob']],
      ['active eq true', ['ann']],
      ['active eq "False"', ['bob']],
      ['not (displayName sw "a")', ['bob']],
      ['userName ew "x.example" and (displayName co "n" or displayName eq "none")', ['ann']],
      ['meta.lastModified gt "1970-01-01T00:40:00Z"', ['bob']],
      ['userName pr', ['ann', 'bob']],
    ] as const)
      expect(await named(filter), filter).toEqual(found);
    for (const filter of ['title eq "x"', 'active gt true', 'userName eq 1', 'emails[type eq "work"]'])
      await expect(named(filter), filter).rejects.toThrow(UnusableFilter);
    const second = await scimUsers.list(db, undefined, { offset: 1, limit: 1 });
    expect(second).toMatchObject({ total: 2, rows: [{ resource_id: 'r-bob' }] });

    const groups = async (filter: string) =>
      (await scimGroups.list(db, parseScimFilter(filter)!, page)).rows.map(({ name }) => name);
    expect(await groups('displayName eq "STAFF"')).toEqual(['Staff']);
    expect(await groups('members.value eq "r-ann"')).toEqual(['Staff']);
    expect(await groups(`id eq "${staff}" and members eq "r-gone"`)).toEqual([]);
    expect(await groups('members pr')).toEqual(['Staff']);
    expect(await groups('id eq "x"')).toEqual([]);
    const members = (await scimGroups.membersOf(db, [staff, leads])).map(({ resourceId }) => resourceId);
    expect(members).toEqual(['r-ann', 'r-bob']);
    expect((await scimGroups.groupsOf(db, [ann])).map(({ groupName }) => groupName)).toEqual(['Staff']);
    const person2 = await scimUsers.findPerson(db, { externalIds: ['E-ann', 'x'], email: 'BOB@x.example' });
    expect(person2.map(({ user_id }) => user_id).toSorted((a, b) => a - b)).toEqual([ann, bob]);
    const lookAlike = { externalIds: [], email: 'b\u00f6b@x.example' };
    expect(await scimUsers.findPerson(db, lookAlike)).toEqual([]);
    await scimUsers.removeOf(db, ann);
    expect(await scimUsers.ofUser(db, ann)).toBeUndefined();
    expect(await scimGroups.groupsOf(db, [ann])).toEqual([]);
    expect(await scimGroups.remove(db, staff)).toBe(true);
    expect(await scimGroups.remove(db, staff)).toBe(false);
  });
});
