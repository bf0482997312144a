import { describe, expect, test } from 'vitest';
import { awsStream, chunkFrame, exceptionFrame } from '../../../testing/protocols/aws-frames.ts';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import type { AnswerPipe } from '../../types/index.ts';
import { bedrock } from './index.ts';

const claude = 'claude-sonnet-4-5-20250929';
const body = { model: claude, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };

/** Reader of an answer to a caller of Messages. */
function open(stream = true): AnswerPipe {
  const channel = buildChannel({ type: 33, key: 'AKIDEXAMPLE|a-secret-key|eu-west-1', baseUrl: '' });
  const request = buildRequest('anthropic-messages', { ...body, stream });
  return bridge(bedrock, channel, request, claude, relayOptions).openPipe(200, awsStream);
}

describe('answers of Invoke', () => {
  const start = {
    type: 'message_start',
    message: { id: 'msg_bdrk_1', usage: { input_tokens: 5, output_tokens: 1 } },
  };
  const text = '{"type":"content_block_delta", "index":0,"delta":{"type":"text_delta","text":"H\\u00e9"}}';
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } };
  const metrics = '"amazon-bedrock-invocationMetrics":{"inputTokenCount":5,"outputTokenCount":2}';
  const stream = [
    chunkFrame(start),
    chunkFrame(text),
    chunkFrame(end),
    chunkFrame(`{"type":"message_stop", ${metrics}}`),
  ];

  test('pass event by event, their bytes unchanged, the vendor’s metrics cut', () => {
    const { passed, end: ended } = feed(open(), [Buffer.concat(stream)]);
    expect(passed.toString()).toBe(
      `event: message_start\ndata: ${JSON.stringify(start)}\n\n` +
        `event: content_block_delta\ndata: ${text}\n\n` +
        `event: message_delta\ndata: ${JSON.stringify(end)}\n\n`,
    );
    expect(ended.tail!.toString()).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
    expect(ended).toMatchObject({ outcome: 'complete', usage: { input: 5, output: 2 } });
  });

  test('are the same, cut at every byte', () => {
    const bytes = Buffer.concat(stream);
    const whole = feed(open(), [bytes]);
    for (let at = 1; at < bytes.length; at += 1) {
      const cut = feed(open(), [bytes.subarray(0, at), bytes.subarray(at)]);
      expect([at, cut.passed.equals(whole.passed), cut.end]).toEqual([at, true, whole.end]);
    }
  });

  test('keep data of several lines in one event', () => {
    const pretty = JSON.stringify(end, null, 1).replace('\n', '\r\n');
    const { passed } = feed(open(), [chunkFrame(start), chunkFrame(pretty)], true);
    const [, event] = passed.toString().split('\n\n');
    const data = event!.split('\n').filter((line) => line.startsWith('data: '));
    expect(JSON.parse(data.map((line) => line.slice(6)).join('\n'))).toEqual(end);
  });

  test('are gathered for a caller who wants one piece', () => {
    const { end: ended } = feed(open(false), stream);
    expect(JSON.parse(ended.tail!.toString())).toMatchObject({
      type: 'message',
      id: 'msg_bdrk_1',
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 2 },
    });
  });

  test.each([
    ['throttlingException', 429, 'channel'],
    ['modelTimeoutException', 408, 'channel'],
    ['internalServerException', 500, 'channel'],
    ['serviceUnavailableException', 503, 'channel'],
    ['modelStreamErrorException', 424, 'channel'],
    ['validationException', 400, 'caller'],
    ['somethingNew', 502, 'channel'],
  ])('fail with %s', (exception, status, blame) => {
    const words = `slow down, a-secret-key, arn:aws:iam::123456789012:user/me`;
    const pipe = open();
    const passed = pipe.push(Buffer.concat([...stream.slice(0, 2), exceptionFrame(exception, words)]));
    expect(passed!.toString()).toContain('text_delta');
    // The vendor ends its answer by itself; only an answer that goes on is cut off.
    expect(pipe.failed).toBe(false);
    expect(pipe.push(stream[2]!)).toBeUndefined();
    expect(pipe.failed).toBe(true);
    const ended = pipe.end(true);
    expect(ended).toMatchObject({ outcome: 'error', tail: undefined, inputUsage: { input: 5 } });
    expect(ended.error).toMatchObject({ status, blame, message: 'slow down, [hidden], [resource]' });
    expect(pipe.takeText().output).toBe('Hé');
  });

  test('that were whole stay whole, whatever follows', () => {
    for (const behind of [exceptionFrame('throttlingException', 'late'), Buffer.from('no frame at all!')]) {
      const { end: ended } = feed(open(), [...stream, behind]);
      expect([ended.outcome, ended.error]).toEqual(['complete', undefined]);
    }
  });

  test('truncated within a frame are truncated, though the transfer ended properly', () => {
    const bytes = Buffer.concat(stream);
    const { end: ended } = feed(open(), [bytes.subarray(0, bytes.length - 5)]);
    expect([ended.outcome, ended.tail]).toEqual(['truncated', undefined]);
  });
});
