import { expect, it } from 'vitest';
import { returnedBy } from './returned.ts';

it('what providers return is read from the query, and for Telegram from the fragment', () => {
  expect(returnedBy({ search: '?code=c&state=s&iss=https%3A%2F%2Fidp.example', hash: '' })).toEqual({
    code: 'c',
    state: 's',
    iss: 'https://idp.example',
  });
  expect(returnedBy({ search: '?state=s', hash: '#tgAuthResult=eyJpZCI6N30=' })).toEqual({
    code: 'eyJpZCI6N30=',
    state: 's',
  });
  expect(returnedBy({ search: '?error=access_denied&state=s', hash: '' })).toEqual({
    error: 'access_denied',
    state: 's',
  });
  expect(returnedBy({ search: '', hash: '' })).toEqual({ state: '' });
});
