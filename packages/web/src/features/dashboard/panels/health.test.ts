import { channelStatus, testOutcome } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { healthOf } from './health-of.ts';

const channel = {
  status: channelStatus.enabled as number,
  response_time: 2,
  test_outcome: testOutcome.passed as number,
  test_time: 1_000,
  balance: 0,
  balance_updated_time: 0,
  traffic: null,
};
const traffic = { tries: 100, failed: 0, first_byte_ms: 400, answered_time: 2_000 };

test('a channel whose last test failed is never shown healthy, however fast it was', () => {
  expect(healthOf(channel)).toBe('good');
  expect(healthOf({ ...channel, test_outcome: testOutcome.failed })).toBe('failed');
  expect(healthOf({ ...channel, response_time: 0, test_outcome: testOutcome.failed })).toBe('failed');
});

test('a disabled channel is not shown as failing', () => {
  expect(healthOf({ ...channel, status: channelStatus.disabled, test_outcome: testOutcome.failed })).toBe(
    'off',
  );
  expect(healthOf({ ...channel, status: channelStatus.autoDisabled })).toBe('bad');
});

test('before its first test there is no state', () => {
  expect(healthOf({ ...channel, response_time: 0, test_outcome: testOutcome.unknown })).toBe('unknown');
});

test('results of calls come before the last test', () => {
  expect(healthOf({ ...channel, response_time: 9_000, traffic })).toBe('good');
  expect(healthOf({ ...channel, traffic: { ...traffic, first_byte_ms: 6_000 } })).toBe('slow');
  expect(healthOf({ ...channel, traffic: { ...traffic, failed: 1 } })).toBe('good');
  expect(healthOf({ ...channel, traffic: { ...traffic, failed: 5 } })).toBe('warn');
  expect(healthOf({ ...channel, traffic: { ...traffic, failed: 60 } })).toBe('failed');
  expect(healthOf({ ...channel, response_time: 0, test_outcome: testOutcome.unknown, traffic })).toBe('good');
});

test('a failed test counts until a call is answered again', () => {
  const failed = { ...channel, test_outcome: testOutcome.failed };
  expect(healthOf({ ...failed, traffic })).toBe('good');
  expect(healthOf({ ...failed, test_time: 3_000, traffic })).toBe('failed');
  expect(healthOf({ ...failed, traffic: { ...traffic, answered_time: 0 } })).toBe('failed');
});
