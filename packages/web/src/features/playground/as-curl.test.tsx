import { expect, test } from 'vitest';
import { asCurl } from './raw-drawer.tsx';

const request = {
  model: 'gpt-4o',
  group: 'vip',
  stream: true,
  messages: [{ role: 'user', content: 'It\'s "so"; $HOME `date` \\n\nin two lines' }],
};

/** Splits a command into words like a shell: within single quotes every character is literal. */
const errorMessage = (command: string): string[] =>
  [...command.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gsu)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/gsu, (_part, single, double, escaped) =>
      String(single ?? double ?? escaped),
    ),
  );

test('the command sends the same request for any text, without the group, which is the key’s', () => {
  const [curl, address, , authorization, , , , body] = errorMessage(asCurl('https://gate.example', request));
  expect([curl, address]).toEqual(['curl', 'https://gate.example/v1/chat/completions']);
  expect(authorization).toBe('Authorization: Bearer $API_KEY');
  const { group: _group, ...rest } = request;
  expect(JSON.parse(body ?? '')).toEqual(rest);
});
