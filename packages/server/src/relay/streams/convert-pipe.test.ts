import { usageOf } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { feed } from '../../testing/protocols/build-relay.ts';
import { RelayError } from '../types/index.ts';
import { type JsonObject, textOf } from '../../lib/json.ts';
import { ConvertPipe } from './convert-pipe.ts';

const usage = usageOf({ input: 7 });
const convert = ({ sound, refused }: JsonObject) => {
  if (refused) throw new RelayError({ status: 429, code: 'busy', message: 'busy', blame: 'channel' });
  return { contentType: 'audio/wav', body: Buffer.from(textOf(sound)), usage };
};
const whole = Buffer.from('{"sound": "小声"}');

test('an answer is converted whole, under its own type, wherever it was cut', () => {
  for (let at = 0; at <= whole.length; at += 1) {
    const pipe = new ConvertPipe(convert);
    const { passed, end } = feed(pipe, [whole.subarray(0, at), whole.subarray(at)]);
    expect([passed.length, String(end.tail), end.outcome]).toEqual([0, '小声', 'complete']);
    expect([end.usage, pipe.contentType]).toEqual([usage, 'audio/wav']);
  }
});

test.each([
  ['breaks off', whole, true, 'truncated', undefined],
  ['is no JSON', Buffer.from('<html>'), false, 'error', 'bad_response_body'],
  ['is empty', Buffer.alloc(0), false, 'error', 'bad_response_body'],
  ['tells of a failure', Buffer.from('{"refused": true}'), false, 'error', 'busy'],
])('an answer that %s is not passed on', (_what, bytes, broken, outcome, code) => {
  const { end } = feed(new ConvertPipe(convert), [bytes], broken);
  expect([end.outcome, end.tail, end.error?.code]).toEqual([outcome, undefined, code]);
});

test('an answer without an end is given up', () => {
  const pipe = new ConvertPipe(convert);
  const piece = Buffer.alloc(8 * 1024 * 1024, 0x20);
  for (let count = 0; count < 8; count += 1) pipe.push(piece);
  expect(pipe.failed).toBe(false);
  pipe.push(piece);
  expect([pipe.failed, pipe.end(true).error?.code]).toEqual([true, 'bad_response_body']);
});

test("an exception of the gateway is not reported as a vendor's failure", () => {
  const pipe = new ConvertPipe(() => {
    throw new TypeError('a fault');
  });
  pipe.push(whole);
  expect(() => pipe.end(false)).toThrow(TypeError);
});
