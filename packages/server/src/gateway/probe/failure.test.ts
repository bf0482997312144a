import { sayChannelFailure } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { ForbiddenAddress } from '../../lib/outbound/address.ts';
import { ConnectionLost, TimedOut } from '@tollgate/http-engine';
import { refuse, RelayError } from '../../relay/types/index.ts';
import { channelFailureOf } from './test-channel.ts';

const unreachable = (cause: unknown) =>
  new RelayError({
    status: 502,
    code: 'do_request_failed',
    message: '请求上游地址失败',
    blame: 'channel',
    cause,
  });
const withCode = (code: string, cause?: unknown) => Object.assign(new Error(code, { cause }), { code });

it.each([
  [withCode('ECONNREFUSED'), 'refused', 'The upstream could not be reached: connection refused'],
  [withCode('ENOTFOUND'), 'not_found', 'The upstream could not be reached: its host name is not known'],
  [
    new ConnectionLost('gone', withCode('ECONNRESET')),
    'lost',
    'The upstream closed the connection before it answered',
  ],
  [
    new Error('outer', { cause: withCode('CERT_HAS_EXPIRED') }),
    'tls',
    'The upstream could not be reached: its TLS certificate or handshake failed',
  ],
  [new TimedOut('headers'), 'timeout', 'The upstream did not answer in time'],
  [
    new ForbiddenAddress('169.254.169.254'),
    'address_forbidden',
    'The upstream could not be reached: its address is not allowed',
  ],
  [withCode('EHOSTUNREACH'), 'unreachable', 'The upstream could not be reached'],
  ['no error at all', 'unreachable', 'The upstream could not be reached'],
])('%s is reported as %s', (thrown, cause, words) => {
  const failure = channelFailureOf(unreachable(thrown), 'gpt-4o');
  expect(failure).toEqual({ cause, status: 0, message: '', model: 'gpt-4o' });
  expect(sayChannelFailure(failure, 'en')).toBe(words);
  expect(sayChannelFailure(failure, 'zh')).toMatch(/[\u4e00-\u9fff]/);
});

it('a refusal of the upstream is reported with its status and its own message', () => {
  const error = new RelayError({
    status: 401,
    code: 'invalid_api_key',
    message: 'bad {status}',
    blame: 'channel',
  });
  const failure = channelFailureOf(error, 'gpt-4o');
  expect(sayChannelFailure(failure, 'en')).toBe('The upstream answered 401: bad {status}');
  expect(sayChannelFailure(failure, 'zh')).toBe('上游返回 401：bad {status}');
  expect(sayChannelFailure({ ...failure, message: '' }, 'en')).toBe('The upstream answered 401');
});

it('a refusal of the gateway is reported as its own', () => {
  expect(channelFailureOf(refuse('invalid_model'), 'm')).toMatchObject({
    cause: 'gateway',
    message: refuse('invalid_model').message,
  });
});

it('a circular chain of causes ends', () => {
  const error = new Error('round');
  error.cause = error;
  expect(channelFailureOf(unreachable(error), 'm').cause).toBe('unreachable');
});
