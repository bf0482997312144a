import { describe, expect, it } from 'vitest';
import { type Inbound, RelayError } from '../../types/index.ts';
import { geminiEmbeddings } from './index.ts';

const sizes = { byteLength: 100, charLength: 100 };
const content = { parts: [{ text: 'words' }] };
const setup = {
  kind: 'json' as const,
  contentType: 'application/json',
  hideUsage: false,
  secrets: [],
  rewrite: undefined,
};

describe('Gemini embeddings', () => {
  it('are read for one content or several, and refused without any', () => {
    const readFacts: Inbound['readFacts'] = (body, read) => geminiEmbeddings.inbound.readFacts(body, read);
    expect(readFacts({ model: 'm', content }, sizes)).toMatchObject({ model: 'm', stream: false });
    expect(readFacts({ model: 'm', requests: [{ content }, { content }] }, sizes)).toMatchObject({
      choices: 1,
    });
    for (const body of [
      { model: 'm' },
      { content },
      { model: 'm', requests: [] },
      { model: 'm', requests: [{}] },
    ]) {
      expect(() => readFacts(body, sizes)).toThrow(RelayError);
    }
  });

  it('pass unchanged, with the usage where the vendor reports it', () => {
    const answer = '{"embedding": {"values": [0.1, 0.20]}, "usageMetadata": {"promptTokenCount": 7}}';
    const pipe = geminiEmbeddings.outbound.openPipe(setup);
    const first = pipe.push(Buffer.from(answer));
    const end = pipe.end(false);
    expect(Buffer.concat([first, end.tail].filter((part) => part !== undefined)).toString()).toBe(answer);
    expect(end).toMatchObject({ outcome: 'complete', usage: { input: 7 } });
  });

  it('in another format are no answer', () => {
    const pipe = geminiEmbeddings.outbound.openPipe(setup);
    pipe.push(Buffer.from('{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}'));
    expect(pipe.end(false)).toMatchObject({ outcome: 'error' });
  });

  it('are refused in Gemini’s own shape', () => {
    const error = new RelayError({ status: 403, code: 'x', message: 'no', blame: 'caller' });
    const { status, body } = geminiEmbeddings.inbound.writeError(error, 'id-1');
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 403, message: expect.stringContaining('id-1') as string },
    });
  });
});
