import { describe, expect, test } from 'vitest';
import {
  before,
  changeAnswer,
  costOf,
  inContext,
  nextId,
  settled,
  toSend,
  dropOldImages,
} from './conversation.ts';
import type { Answer, Divider, Message, Question } from '../base/types.ts';

const ask = (id: number, content: string, images: string[] = []): Question => ({
  id,
  createAt: 0,
  role: 'user',
  content,
  images,
  lostImages: 0,
});

const reply = (id: number, content: string, change: Partial<Answer> = {}): Answer => ({
  id,
  createAt: 0,
  role: 'assistant',
  content,
  reasoning: '',
  status: 'complete',
  stopped: false,
  model: 'm',
  group: 'default',
  requestId: null,
  usage: null,
  firstTokenMs: null,
  thoughtMs: null,
  totalMs: null,
  finish: null,
  cost: null,
  problem: null,
  ...change,
});

const line = (id: number): Divider => ({ id, createAt: 0, role: 'divider' });

test('numbers begin at 4 and go on from the highest, whatever was dropped', () => {
  expect(nextId([])).toBe(4);
  expect(nextId([ask(9, 'a'), reply(5, 'b')])).toBe(10);
});

describe('the messages of a request', () => {
  test('begin with the system prompt, unless that is empty', () => {
    expect(toSend([ask(4, 'Hi')], 'Be kind')).toEqual([
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Hi' },
    ]);
    expect(toSend([ask(4, 'Hi')], '  \n')).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  test('are those below the last divider', () => {
    const messages = [ask(4, 'a'), line(5), ask(6, 'b'), line(7), ask(8, 'c'), reply(9, 'd')];
    expect(toSend(messages, '')).toEqual([
      { role: 'user', content: 'c' },
      { role: 'assistant', content: 'd' },
    ]);
    expect(inContext([ask(4, 'a'), line(5)])).toEqual([]);
  });

  test('leave out empty answers and keep the text of those that broke off', () => {
    const messages = [
      ask(4, 'a'),
      reply(5, '', { status: 'error' }),
      ask(6, 'b'),
      reply(7, 'half', { stopped: true }),
    ];
    expect(toSend(messages, '')).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'half' },
    ]);
  });

  test('have images after the text, and images alone without empty text', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
    expect(toSend([ask(4, 'What?', [image.image_url.url])], '')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What?' }, image] },
    ]);
    expect(toSend([ask(4, '', [image.image_url.url])], '')).toEqual([{ role: 'user', content: [image] }]);
  });
});

test('everything from a message on is replaced; an unknown one replaces nothing', () => {
  const messages = [ask(4, 'a'), reply(5, 'b'), ask(6, 'c')];
  expect(before(messages, 5)).toEqual([ask(4, 'a')]);
  expect(before(messages, 99)).toEqual(messages);
});

test('a finished answer does not change any more, except by its receipt', () => {
  const usage = { inputTokens: 3, outputTokens: 5 };
  const growing: Message[] = [reply(5, 'a', { status: 'incomplete' })];
  expect(changeAnswer(growing, 5, { content: 'ab' })).toMatchObject([{ content: 'ab' }]);
  const finished = changeAnswer(growing, 5, { status: 'complete', content: 'ab' });
  expect(changeAnswer(finished, 5, { content: 'other', status: 'error' })).toEqual(finished);
  expect(changeAnswer(finished, 5, { cost: 7, usage })).toMatchObject([{ content: 'ab', cost: 7, usage }]);
});

test('an answer that was running when the page was closed counts as stopped', () => {
  expect(
    settled([reply(5, 'ha', { status: 'incomplete' }), reply(6, '', { status: 'loading' })]),
  ).toMatchObject([
    { status: 'complete', stopped: true, content: 'ha' },
    { status: 'complete', stopped: true },
  ]);
  const failed = [reply(5, '', { status: 'error' })];
  expect(settled(failed)).toEqual(failed);
});

test('where there is no room the oldest images are removed first, and counted', () => {
  const messages = [
    ask(4, 'old', ['x'.repeat(60), 'y'.repeat(60)]),
    ask(5, 'no image'),
    ask(6, 'new', ['z'.repeat(60)]),
  ];
  expect(dropOldImages(messages, 180)).toEqual(messages);
  expect(dropOldImages(messages, 100)).toMatchObject([
    { images: [], lostImages: 2 },
    { images: [], lostImages: 0 },
    { images: ['z'.repeat(60)], lostImages: 0 },
  ]);
});

test('the cost of a conversation is the sum of the known costs', () => {
  expect(costOf([reply(4, '', { cost: 5 }), ask(5, ''), reply(6, ''), reply(7, '', { cost: 7 })])).toBe(12);
});
