import { expect, test } from 'vitest';
import { emptyPasswordForm, passwordProblems } from './password.ts';

const good = { original: 'the old password', next: 'the new password', again: 'the new password' };
const problems = (change: object) => passwordProblems({ ...good, ...change });

test('a new password needs the old one, and has to be another', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ original: '' })).toEqual([['original', 'originalRequired']]);
  expect(problems({ next: good.original, again: good.original })).toEqual([['next', 'unchanged']]);
  expect(passwordProblems(emptyPasswordForm)).toEqual([
    ['original', 'originalRequired'],
    ['next', 'nextRequired'],
  ]);
});

test('a first password needs no former one', () => {
  expect(passwordProblems({ ...good, original: '' }, false)).toEqual([]);
});

test('a new password has eight characters and is typed twice alike', () => {
  expect(problems({ next: '1234567', again: '1234567' })).toEqual([['next', 'tooShort']]);
  expect(problems({ again: 'another one' })).toEqual([['again', 'mismatch']]);
  expect(problems({ again: '' })).toEqual([['again', 'mismatch']]);
});
