import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { FakeGoogle } from '../../../testing/upstream/fake-google.ts';
import { bridge } from '../../bridge.ts';
import { type Channel, type UpstreamCall, RelayError } from '../../types/index.ts';
import { vertex } from './index.ts';

const google = new FakeGoogle();
const key = google.keyFile('https://oauth2.googleapis.com/token');
const model = 'gemini-2.5-pro';
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

function call(fields: Partial<Channel> = {}): UpstreamCall {
  const channel = buildChannel({ type: 41, key, baseUrl: '', other: 'us-central1', ...fields });
  const request = buildRequest('gemini', { contents }, { model, stream: false });
  return bridge(vertex, channel, request, model, relayOptions);
}

/** Reason why a call could not be made. */
function failure(fields: Partial<Channel>): RelayError {
  try {
    call(fields);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
  throw new Error('the call was made');
}

describe('a key', () => {
  const withKey = (text: string, fields: Partial<Channel> = {}): RelayError =>
    failure({ key: text, ...fields });

  test.each([
    ['{"type":', /neither an API key nor the JSON/],
    [google.keyFile('', { project_id: '' }), /project_id is missing/],
    [google.keyFile('', { client_email: 7 }), /client_email is missing/],
    [google.keyFile('', { private_key: undefined }), /private_key is missing/],
  ])('that is incomplete is the channel’s fault, in a message without any part of it', (text, words) => {
    const error = withKey(text);
    expect([error.status, error.code, error.blame]).toEqual([401, 'invalid_channel_key', 'channel']);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('PRIVATE KEY');
    expect(error.message).not.toContain('f00dfeed');
  });

  test.each([
    'http://oauth2.googleapis.com/token',
    'https://oauth2.googleapis.com:8443/token',
    'https://oauth2.googleapis.com.evil.test/token',
    'https://anybody.googleapis.com/token',
    'https://oauth2.googleapis.com@evil.test/token',
    'http://169.254.169.254/token',
    'file:///etc/passwd',
    'token',
  ])('does not send its signature to %s', (tokenUri) => {
    expect(withKey(google.keyFile(tokenUri)).message).toMatch(/token_uri is not an address of Google/);
  });

  test.each(['https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token', ''])(
    'may send it to %s',
    (tokenUri) => {
      expect(call({ key: google.keyFile(tokenUri) }).url).toContain('googleapis.com');
    },
  );

  test("may send it to the host of its channel's address, and to no other", () => {
    const own = { key: google.keyFile('http://10.0.0.1:8080/token'), baseUrl: 'http://10.0.0.1:8080' };
    expect(call(own).url).toContain('http://10.0.0.1:8080/v1/');
    expect(withKey(own.key, { baseUrl: 'http://10.0.0.1:8081' }).code).toBe('invalid_channel_key');
  });

  test('is masked for callers in every answer, with its parts', () => {
    const made = call();
    made.secrets.push('ya29.the-token');
    const words = `no: ${(JSON.parse(key) as { private_key: string }).private_key} f00dfeed ya29.the-token`;
    const error = made.readError(
      403,
      'application/json',
      Buffer.from(JSON.stringify({ error: { code: 403, message: words } })),
    );
    expect(error.message).not.toMatch(/PRIVATE KEY|f00dfeed|ya29/);
    expect(error.original).toBeUndefined();
  });
});
