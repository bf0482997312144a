import { expect, test } from 'vitest';
import { textOf } from '../../lib/json.ts';
import { TextTap } from './text-tap.ts';

const open = () => new TextTap((data, sink) => sink.output(textOf(data.text)));
const event = (text: string, before = '') => Buffer.from(`${before}data: {"text":"${text}"}\n\n`);

test('a byte order mark is skipped at the start of a stream alone, in every reader', () => {
  const first = event('Hel', '\ufeff');
  // After the start the mark is part of a field’s name, which no reader of events knows (WHATWG, server-sent events).
  const second = event('no', '\ufeff');
  const third = event('lo.');
  const whole = open();
  whole.gather(Buffer.concat([first, second, third]));
  const inReads = open();
  for (const read of [first, second, third]) {
    inReads.gather(read);
    inReads.readGathered();
  }
  expect([whole.take().output, inReads.take().output]).toEqual(['Hello.', 'Hello.']);
});
