import { teamRole, userStatus, type TeamMemberData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { changesOf, formOf, isLimit } from './member-drawer.tsx';

const member: TeamMemberData = {
  user_id: 7,
  username: 'ada',
  display_name: 'ada',
  role: teamRole.member,
  status: userStatus.enabled,
  limit_period: 'month',
  limit_quota: 500,
  limit_left: 100,
  used_quota: 400,
  used_month: 400,
  joined_time: 1,
};

test('only changed fields are sent, so that saving a role does not restart a limit', () => {
  const form = formOf(member);
  expect(changesOf(form, member)).toEqual({});
  expect(changesOf({ ...form, role: String(teamRole.manager) }, member)).toEqual({ role: teamRole.manager });
  expect(changesOf({ ...form, quota: 700 }, member)).toEqual({ limit: { period: 'month', quota: 700 } });
  expect(changesOf({ ...form, period: '' }, member)).toEqual({ limit: { period: '', quota: 0 } });
});

test('the amount of a limit that is off changes nothing', () => {
  const free: TeamMemberData = { ...member, limit_period: '', limit_quota: 0, limit_left: null };
  expect(changesOf({ ...formOf(free), quota: 3 }, free)).toEqual({});
});

test('zero is a limit, and an invalid amount is not', () => {
  expect(isLimit(0)).toBe(true);
  for (const quota of ['', -1, 0.5, 'many']) expect(isLimit(quota)).toBe(false);
});
