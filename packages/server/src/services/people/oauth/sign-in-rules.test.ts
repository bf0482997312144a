import { role } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { assign } from './sign-in-rules.ts';

const foreign = { provider: 'p', subject: 's', providerName: 'P', username: '', displayName: '', email: '' };
const rules = [{ value: 'a', role: 'admin' as const }];

it.each([
  ['groups', { groups: ['b', 'a'] }, true],
  ['groups', { groups: 'a' }, true],
  ['groups', { groups: [['a'], 1, null] }, false],
  ['realm.roles', { realm: { roles: ['a'] } }, true],
  ['realm.roles', { 'realm.roles': ['a'] }, true],
  ['realm.roles', { realm: ['a'] }, false],
  ['https://id.example/groups', { 'https://id.example/groups': ['a'] }, true],
  ['constructor.name', {}, false],
  ['groups', undefined, false],
])('reads the groups in the claim %s of %j', (claim, claims, isMatch) => {
  const assigned = assign({ claim, rules }, { ...foreign, ...(claims && { claims }) });
  expect(assigned?.role).toBe(isMatch ? role.admin : undefined);
});

it('leaves to the site what no rule names', () => {
  const assigned = assign({ claim: 'groups', rules: [{ value: '*' }] }, foreign);
  expect(assigned).toEqual({ group: undefined, role: undefined, organisations: new Map() });
});
