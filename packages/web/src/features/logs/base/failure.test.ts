import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

const other = {
  status_code: 502,
  error_code: 'upstream_rejected_channel',
  request_path: '/v1/chat/completions',
  failed_calls: 40,
  admin_info: {
    tries: [
      { channelId: 3, ms: 12, reason: 'do_request_failed', status: 502 },
      { channelId: 7, ms: 30, reason: 'invalid_api_key', status: 401 },
    ],
    error: { status: 401, code: 'invalid_api_key', message: 'bad key' },
  },
};

test("operators see the answer to the caller, the upstream's error, and each attempt", () => {
  expect(failureOf({ other: JSON.stringify(other), channel: 7, channel_name: 'main' })).toEqual({
    status: 502,
    code: 'upstream_rejected_channel',
    path: '/v1/chat/completions',
    calls: 40,
    upstream: { status: 401, message: 'bad key' },
    tries: [
      { channel: 3, name: '', ms: 12, reason: 'do_request_failed', status: 502 },
      { channel: 7, name: 'main', ms: 30, reason: 'invalid_api_key', status: 401 },
    ],
  });
});

test.each(['', 'no JSON', '[]', '{"admin_info":7}'])(
  'a row with %j is read with the fields that it has',
  (text) => {
    expect(failureOf({ other: text, channel: 0, channel_name: '' })).toEqual({
      status: 0,
      code: '',
      path: '',
      calls: 1,
      upstream: null,
      tries: [],
    });
  },
);
