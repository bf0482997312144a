import { teamRole, teamStatus } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { memberActions, teamActions } from './permissions.ts';

const { member, manager, owner } = teamRole;
const { enabled, banned } = teamStatus;
const acts = (role: number, status: number = enabled) => [...teamActions({ role, status })].toSorted();
const actsTo = (role: number, target: number, status: number = enabled) =>
  [...memberActions({ role, status }, { role: target })].toSorted();

test('each role has the buttons that the server would not refuse', () => {
  expect(acts(member)).toEqual(['leave', 'makeKeys']);
  expect(acts(manager)).toEqual(['fund', 'invite', 'leave', 'makeKeys', 'rename', 'seeAll']);
  expect(acts(owner)).toEqual(
    ['fund', 'invite', 'inviteManagers', 'makeKeys', 'remove', 'rename', 'seeAll', 'withdraw'].toSorted(),
  );
});

test('in a banned organisation members may only read and leave', () => {
  expect(acts(member, banned)).toEqual(['leave']);
  expect(acts(manager, banned)).toEqual(['leave', 'seeAll']);
  expect(acts(owner, banned)).toEqual(['seeAll']);
  expect(actsTo(owner, member, banned)).toEqual([]);
});

test('no one may change a member of their own rank or above, and owners alone appoint managers', () => {
  expect(actsTo(member, member)).toEqual([]);
  expect(actsTo(manager, manager)).toEqual([]);
  expect(actsTo(manager, owner)).toEqual([]);
  expect(actsTo(manager, member)).toEqual(['limit', 'remove']);
  expect(actsTo(owner, manager)).toEqual(['handOver', 'limit', 'remove', 'role']);
  expect(actsTo(owner, owner)).toEqual([]);
});
