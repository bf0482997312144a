import { expect, test } from 'vitest';
import { changesOf, emptyUserForm, problemsOf } from './form.ts';

const before = { ...emptyUserForm, username: 'ann', displayName: 'Ann', group: 'vip', remark: 'pays late' };

test('only changed fields are sent, by their names in the API', () => {
  expect(changesOf(before, before)).toEqual({});
  expect(changesOf({ ...before, displayName: ' Ann B. ' }, before)).toEqual({ display_name: 'Ann B.' });
  expect(changesOf({ ...before, remark: '', group: 'default' }, before)).toEqual({
    remark: '',
    group: 'default',
  });
});

test('a password is sent only where one was typed, with its spaces', () => {
  expect(changesOf({ ...before, password: ' a password ' }, before)).toEqual({ password: ' a password ' });
});

test('a new user needs a name and a password; an existing one may keep theirs', () => {
  expect(problemsOf(emptyUserForm, true)).toEqual([
    ['username', 'credentialsEmpty'],
    ['password', 'credentialsEmpty'],
  ]);
  expect(problemsOf({ ...before, username: ' ' }, false)).toEqual([['username', 'usernameRequired']]);
  expect(problemsOf(before, false)).toEqual([]);
});

test('names and passwords have the bounds of the server', () => {
  const problems = (change: object) => problemsOf({ ...before, ...change }, false);
  const longest = { username: 'x'.repeat(20), displayName: 'x'.repeat(20), password: '12345678' };
  expect(problems(longest)).toEqual([]);
  expect(problems({ username: 'x'.repeat(21) })).toEqual([['username', 'usernameLong']]);
  expect(problems({ displayName: 'x'.repeat(21) })).toEqual([['displayName', 'displayNameLong']]);
  expect(problems({ password: '1234567' })).toEqual([['password', 'passwordShort']]);
});
