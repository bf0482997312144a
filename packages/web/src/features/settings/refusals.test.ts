// @vitest-environment jsdom
import { declarationOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { sections } from './sections.ts';
import { problemOf } from './draft/draft.ts';

/** Texts that at least one setting refuses. */
const wrong = [
  '{',
  '[]',
  '{}',
  '{"a":"b"}',
  '{"a":-1}',
  '{"a":[1.5,"x"]}',
  '[{"a":1}]',
  '"x"',
  'x y',
  '-1',
  '1e99',
];

const keys = sections.flatMap((section) => section.keys);

describe('the message for a text that cannot be stored', () => {
  test('is in the language of the reader, for every setting, and never that of a library', () => {
    const refused = keys.flatMap((key) =>
      wrong.flatMap((value) => {
        const en = problemOf(key, value, 'en');
        return en === null ? [] : [{ key, value, en, zh: problemOf(key, value, 'zh') ?? '' }];
      }),
    );
    expect(refused.length).toBeGreaterThan(keys.length);
    for (const { key, value, en, zh } of refused) {
      const what = `${key} = ${value}: ${en} / ${zh}`;
      const { label } = declarationOf(key);
      expect(`${en} ${zh}`.replace(label.en, '').replace(label.zh, ''), what).not.toContain(key);
      expect(zh, what).toMatch(/\p{Script=Han}/u);
      expect(en.replaceAll(value, ''), what).not.toMatch(/\p{Script=Han}/u);
      expect(`${en} ${zh}`, what).not.toMatch(
        /invalid input|expected \w+,|received|SyntaxError|TypeError|ZodError/i,
      );
    }
  });
});
