import { describe, expect, it } from 'vitest';
import { meetsScimFilter, parseScimFilter, parseScimPath } from '../../../lib/scim-filter.ts';
import { patchResource, readResource } from './patch.ts';
import { checkGroup, checkPerson, groupShape, userShape } from './resources.ts';

const ann = {
  userName: 'ann',
  name: { familyName: 'Lee', givenName: 'Ann' },
  emails: [
    { value: 'ann@work.example', type: 'work', primary: true },
    { value: 'ann@home.example', type: 'home' },
  ],
  active: true,
};
const patch = (...Operations: object[]) => patchResource(userShape, ann, { Operations });

describe('a change of a user', () => {
  it.each([
    [{ op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    [{ op: 'replace', value: { active: false } }, { active: false }],
    [{ op: 'Add', path: 'name.familyName', value: 'Ray' }, { name: { familyName: 'Ray', givenName: 'Ann' } }],
    [{ op: 'replace', value: { 'name.givenName': 'An' } }, { name: { familyName: 'Lee', givenName: 'An' } }],
    [
      { op: 'replace', path: 'name', value: { familyName: 'Ray' } },
      { name: { familyName: 'Ray', givenName: 'Ann' } },
    ],
    [
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'b' },
      { userName: 'b' },
    ],
    [{ op: 'REPLACE', path: 'USERNAME', value: 'b' }, { userName: 'b' }],
    [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@work.example' },
      { emails: [{ value: 'b@work.example', type: 'work', primary: true }, ann.emails[1]] },
    ],
    [
      { op: 'Add', path: 'emails[type eq "other"].value', value: 'o@x.example' },
      { emails: [...ann.emails, { type: 'other', value: 'o@x.example' }] },
    ],
    [
      { op: 'add', path: 'emails', value: { value: 'new@x.example', primary: true } },
      {
        emails: [
          { value: 'ann@work.example', type: 'work', primary: false },
          ann.emails[1],
          { value: 'new@x.example', primary: true },
        ],
      },
    ],
    [{ op: 'remove', path: 'emails[type eq "home"]' }, { emails: [ann.emails[0]] }],
    [{ op: 'Remove', path: 'emails', value: [{ value: 'ANN@home.example' }] }, { emails: [ann.emails[0]] }],
    [{ op: 'remove', path: 'name.familyName' }, { name: { familyName: undefined, givenName: 'Ann' } }],
    [{ op: 'remove', path: 'emails' }, { emails: [] }],
    // Directories send attributes that are not kept.
    [{ op: 'Add', path: 'title', value: 'x' }, {}],
    [
      {
        op: 'add',
        value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'x' } },
      },
      {},
    ],
    [
      {
        op: 'add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'x',
      },
      {},
    ],
    [{ op: 'replace', path: 'id', value: 'other' }, {}],
  ])('%j', (operation, change) => {
    expect(checkPerson(patch(operation))).toEqual({ ...checkPerson(ann), ...change });
  });

  it('in several steps applies all of them, and none to the original', () => {
    const original = structuredClone(ann);
    const changed = patch(
      { op: 'remove', path: 'emails' },
      { op: 'add', path: 'emails', value: 'z@x.example' },
    );
    expect(changed['emails']).toEqual([{ value: 'z@x.example' }]);
    expect(ann).toEqual(original);
  });

  it.each([
    [[], 'scim_syntax'],
    [[{ op: 'move', path: 'active' }], 'scim_syntax'],
    [[{ op: 'remove' }], 'scim_target'],
    [[{ op: 'add', value: 'x' }], 'scim_value'],
    [[{ op: 'add', path: 'emails[type', value: 'x' }], 'scim_path'],
    [[{ op: 'add', path: 'a.b.c', value: 'x' }], 'scim_path'],
    [[{ op: 'replace', path: 'emails[value co "nobody"].value', value: 'x' }], 'scim_target'],
    [[{ op: 'replace', path: 'active', value: 'perhaps' }], 'scim_value'],
    [[{ op: 'replace', path: 'userName', value: '' }], 'scim_value'],
    [[{ op: 'replace', path: 'userName', value: 'x'.repeat(256) }], 'scim_value'],
    [[{ op: 'add', path: 'emails', value: [7] }], 'scim_value'],
    [[{ op: 'add', path: 'userName[a eq "b"]', value: 'x' }], 'scim_path'],
  ])('is refused: %j', (operations, code) => {
    expect(() => checkPerson(patch(...operations))).toThrow(expect.objectContaining({ code }));
  });
});

describe('a change of a group', () => {
  const group = { displayName: 'Staff', members: [{ value: 'a' }, { value: 'b' }] };
  it.each([
    [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'c' }] }, ['a', 'b', 'c']],
    [{ op: 'add', path: 'members', value: [{ value: 'a' }] }, ['a', 'b']],
    [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] }, ['b']],
    [{ op: 'remove', path: 'members[value eq "a"]' }, ['b']],
    [{ op: 'replace', path: 'members', value: [{ value: 'c' }] }, ['c']],
    [{ op: 'replace', value: { id: 'x', displayName: 'Staff' } }, ['a', 'b']],
    [{ op: 'remove', path: 'members' }, []],
  ])('%j', (operation, members) => {
    const changed = patchResource(groupShape, group, { operations: [operation] });
    expect(checkGroup(changed)).toMatchObject({ displayName: 'Staff', members });
  });
});

describe('a body', () => {
  it('has its attributes by any case, and no others', () => {
    const body = {
      USERNAME: 'x',
      Emails: ['a@x.example'],
      name: { FAMILYNAME: 'F', middle: 'M' },
      title: 'T',
    };
    expect(readResource(userShape, body)).toEqual({
      userName: 'x',
      emails: [{ value: 'a@x.example' }],
      name: { familyName: 'F' },
    });
  });
});

describe('a filter', () => {
  const random = (length: number): string =>
    Array.from({ length }, () => {
      const parts = [
        'a',
        'eq',
        '"x"',
        '(',
        ')',
        '[',
        ']',
        ' ',
        'and',
        'or',
        'not',
        '.v',
        'pr',
        '"',
        '\\',
        'true',
      ];
      return parts[Math.floor(Math.random() * parts.length)];
    }).join(Math.random() < 0.5 ? ' ' : '');

  it('is read or refused, whatever the text', () => {
    for (let round = 0; round < Number(process.env['FUZZ_RUNS'] ?? 200); round += 1) {
      const text = random(1 + Math.floor(Math.random() * 12));
      const filter = parseScimFilter(text);
      expect([undefined, true, false]).toContain(filter && meetsScimFilter(filter, { a: 'x', v: true }));
      parseScimPath(text);
    }
    expect(parseScimFilter(`${'('.repeat(900)}a pr${')'.repeat(900)}`)).toBeUndefined();
    expect(parseScimFilter(`a eq "${'x'.repeat(2_000)}"`)).toBeUndefined();
  });

  it('binds and before or, and not to its brackets', () => {
    const meets = (text: string) => meetsScimFilter(parseScimFilter(text)!, { a: '1', b: '2' });
    expect(meets('a eq "1" or a eq "2" and b eq "3"')).toBe(true);
    expect(meets('(a eq "1" or a eq "2") and b eq "3"')).toBe(false);
    expect(meets('not (a eq "1") or B EQ "2"')).toBe(true);
    expect(meets('a eq "\\"" or c pr')).toBe(false);
  });
});

describe('a request that would take very long', () => {
  const members = Array.from({ length: 20_000 }, (_, index) => ({ value: `m${index}` }));
  const group = { displayName: 'all', members };
  const long = Array.from({ length: 100 }, (_, index) => `value eq "${index}"`).join(' or ');
  it.each([
    ['many operations', 1_000, { op: 'add', path: 'members', value: [{ value: 'm1' }] }],
    ['long filters', 200, { op: 'remove', path: `members[${long}]` }],
    [
      'many paths',
      200,
      { op: 'add', value: { 'members[value eq "m1"].value': 'a', members: [{ value: 'b' }] } },
    ],
  ])('because of %s is refused', (_why, count, operation) => {
    const Operations = Array.from({ length: count }, () => operation);
    expect(() => patchResource(groupShape, group, { Operations })).toThrow('Operations');
    expect(patchResource(groupShape, group, { Operations: [operation] })).toHaveProperty('members');
  });
});

it('a text that no column can have is refused', () => {
  expect(() => checkPerson({ userName: '\u0130'.repeat(200) })).toThrow('userName');
  expect(parseScimFilter(String.raw`userName eq "\u0000"`)).toBeUndefined();
});
