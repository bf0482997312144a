import { describe, expect, test } from 'vitest';
import { codexType, keyFault, keysIn, vertexType } from './key-check.ts';

const account = {
  type: 'service_account',
  project_id: 'p',
  client_email: 'a@p.iam.gserviceaccount.com',
  private_key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n',
};
const pretty = (file: object) => JSON.stringify(file, null, 2);

describe('a key of Vertex', () => {
  test('is the file of a service account, or an API key', () => {
    expect(keyFault(vertexType, pretty(account))).toBeNull();
    expect(keyFault(vertexType, ` ${JSON.stringify(account)}\n`)).toBeNull();
    expect(keyFault(vertexType, 'AIzaSyExample')).toBeNull();
    expect(keyFault(vertexType, '')).toBeNull();
  });

  test.each(['client_email', 'private_key', 'project_id'])('is refused without its %s', (field) => {
    expect(keyFault(vertexType, pretty({ ...account, [field]: undefined }))).toEqual({
      fault: 'keyFieldMissing',
      field,
    });
    expect(keyFault(vertexType, pretty({ ...account, [field]: '' }))).toMatchObject({ field });
  });

  test('has the position of an error in its JSON reported', () => {
    expect(keyFault(vertexType, '{\n  "client_email": oops\n}')).toEqual({
      fault: 'keyNoJson',
      line: 2,
      column: 19,
    });
  });

  test('is one key, however many lines it has', () => {
    expect(keysIn(vertexType, pretty(account))).toHaveLength(1);
    expect(keyFault(vertexType, 'AIzaOne\nAIzaTwo')).toEqual({ fault: 'keyHasSpaces' });
  });
});

describe('a key of Codex', () => {
  const login = { access_token: 'a', refresh_token: 'r' };

  test('is a login as other gateways store it, or the file of Codex itself', () => {
    expect(keyFault(codexType, pretty(login))).toBeNull();
    expect(keyFault(codexType, pretty({ OPENAI_API_KEY: null, tokens: login }))).toBeNull();
    expect(keysIn(codexType, pretty(login))).toHaveLength(1);
    expect(keyFault(codexType, '')).toBeNull();
  });

  test('is refused as an API key, with the missing parts', () => {
    expect(keyFault(codexType, 'sk-plain')).toEqual({ fault: 'keyIsNoLogin' });
    const missing = { fault: 'loginFieldMissing', field: 'refresh_token' };
    expect(keyFault(codexType, pretty({ access_token: 'a' }))).toEqual(missing);
    expect(keyFault(codexType, pretty({ tokens: { access_token: 'a' } }))).toEqual(missing);
    expect(keyFault(codexType, '{"access_token": }')).toMatchObject({ fault: 'keyNoJson' });
  });
});

describe('keys of other providers', () => {
  test('are one per line, each once', () => {
    expect(keysIn('1', ' sk-a \n\nsk-b\nsk-a\n')).toEqual(['sk-a', 'sk-b']);
    expect(keysIn('1', ' \n ')).toEqual([]);
  });

  test('are not files of several lines, which would create a channel for each line', () => {
    expect(keyFault('1', pretty(account))).toEqual({ fault: 'keyIsJson' });
    expect(keyFault('33', 'AKIA|secret|us-east-1')).toBeNull();
  });
});
