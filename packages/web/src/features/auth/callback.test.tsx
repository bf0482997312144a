import { expect, it } from 'vitest';
import { readCallback } from './oauth-page.tsx';

it('what providers return is read from the query, and for Telegram from the fragment', () => {
  expect(readCallback({ search: '?code=c&state=s&iss=https%3A%2F%2Fidp.example', hash: '' })).toEqual({
    code: 'c',
    state: 's',
    iss: 'https://idp.example',
  });
  expect(readCallback({ search: '?state=s', hash: '#tgAuthResult=eyJpZCI6N30=' })).toEqual({
    code: 'eyJpZCI6N30=',
    state: 's',
  });
  expect(readCallback({ search: '?error=access_denied&state=s', hash: '' })).toEqual({
    error: 'access_denied',
    state: 's',
  });
  expect(readCallback({ search: '', hash: '' })).toEqual({ state: '' });
});
