import { channelStatus, testOutcome } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { healthOf } from './health-of.ts';

const channel = {
  status: channelStatus.enabled as number,
  response_time: 2,
  test_outcome: testOutcome.passed as number,
};

test('a channel whose last test failed is never shown healthy, however quick it was', () => {
  expect(healthOf(channel)).toBe('good');
  expect(healthOf({ ...channel, test_outcome: testOutcome.failed })).toBe('failed');
  expect(healthOf({ ...channel, response_time: 0, test_outcome: testOutcome.failed })).toBe('failed');
});

test('a channel that is switched off is not called failing', () => {
  expect(healthOf({ ...channel, status: channelStatus.disabled, test_outcome: testOutcome.failed })).toBe(
    'off',
  );
  expect(healthOf({ ...channel, status: channelStatus.autoDisabled })).toBe('bad');
});

test('before its first test nothing is claimed', () => {
  expect(healthOf({ ...channel, response_time: 0, test_outcome: testOutcome.unknown })).toBe('unknown');
});
