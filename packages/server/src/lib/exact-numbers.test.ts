import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExact, parseExactObject, withExactNumbers } from './exact-numbers.ts';
import type { JsonObject } from './json.ts';

// Numbers in tool arguments are IDs and prices of other systems. They must be written exactly as they were read.

const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e5', '1E+400', '-0.10', '9007199254740993', '1234567890123456789'),
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const key = fc.oneof(fc.string(), fc.constantFrom('input', '0', '__proto__x', 'a"b'));

/** JSON text without spaces; the parts keep their exact text. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    number,
    fc.oneof(fc.string(), fc.boolean(), fc.constant(null)).map((each) => JSON.stringify(each)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }).map((object) => written(Object.entries(object))),
  ),
}));

const written = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

it('a number is written as it was read', () => {
  fc.assert(
    fc.property(value, (text) => {
      expect(JSON.stringify(parseExact(text))).toBe(text);
    }),
  );
});

it('only an object is read as one, a number never', () => {
  fc.assert(
    fc.property(value, (text) => {
      expect(parseExactObject(text) !== undefined).toBe(text.startsWith('{'));
    }),
  );
});

it('the arguments in a body keep their numbers, and the rest of it is read as ever', () => {
  const body = fc.record({
    spaces: fc.constantFrom('', ' ', '\n  '),
    inputs: fc.array(value, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(body, ({ spaces, inputs }) => {
      const blocks = inputs.map(
        (input, at) => `{"id": "b${at}",${spaces}"input"${spaces}:${spaces}${input}}`,
      );
      const text = `${spaces}{"max_tokens": 1.0, "list": [${spaces}{"content": [${blocks.join(`${spaces},`)}${spaces}]}]}`;
      const parsed = JSON.parse(text) as JsonObject;
      const exact = withExactNumbers(parsed, text, [['list', '*', 'content', '*', 'input']]);
      expect(JSON.stringify(exact)).toBe(
        `{"max_tokens":1,"list":[{"content":[${inputs.map((input, at) => `{"id":"b${at}","input":${input}}`).join(',')}]}]}`,
      );
    }),
  );
});
