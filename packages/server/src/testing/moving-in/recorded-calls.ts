import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isObject, type JsonObject, textOf } from '../../lib/json.ts';

/** A call on a real installation before the migration, with its result there. */
export interface OldCall {
  /** Names of the user and of the key. */
  user: string;
  key: string;
  model: string;
  /** The caller's protocol; Chat if absent. */
  wire?: 'messages' | 'responses' | 'gemini' | 'rerank' | 'images' | 'embeddings' | 'speech';
  stream?: boolean;
  /** Usage from the vendor. */
  usage?: string;
  /** Additional fields of the request. */
  more?: JsonObject;
  /** Status of the vendor's answer, for a failure. */
  fail?: number;
  status: number;
  /** Quota units; absent without a charge. */
  charge?: number;
  /** Path and model in the requests to the vendor. */
  upstream: { url: string; model?: string }[];
}

const folder = join(import.meta.dirname, 'recorded');

export type Program = 'new-api' | 'one-api';

/** Calls of a program's recorded site. */
export const recordedCalls = (program: Program): OldCall[] =>
  JSON.parse(readFileSync(join(folder, `${program}-calls.json`), 'utf8')) as OldCall[];

/** Writes the program's own database, with its channels redirected to `upstream`. */
export function writeRecordedSite(program: Program, file: string, upstream: string): void {
  const raw = new DatabaseSync(file);
  raw.exec(readFileSync(join(folder, `${program}.sql`), 'utf8').replaceAll('{upstream}', upstream));
  raw.close();
}

/** Path and body of the caller's request. */
export function requestOf({ model, wire, stream, more }: OldCall): { path: string; body: JsonObject } {
  const own = { model, ...more };
  const messages = [{ role: 'user', content: 'hello' }];
  const streamed = { ...own, ...(stream && { stream }) };
  if (wire === 'messages') return { path: '/v1/messages', body: { ...streamed, max_tokens: 100, messages } };
  if (wire === 'responses') return { path: '/v1/responses', body: { ...streamed, input: 'hello' } };
  if (wire === 'gemini') {
    const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
    return { path: `/v1beta/models/${model}:${verb}`, body: { contents } };
  }
  if (wire === 'rerank') return { path: '/v1/rerank', body: { ...own, query: 'q', documents: ['a', 'b'] } };
  if (wire === 'images') return { path: '/v1/images/generations', body: { ...own, prompt: 'a cat' } };
  if (wire === 'embeddings') return { path: '/v1/embeddings', body: { ...own, input: 'hello' } };
  if (wire === 'speech')
    return { path: '/v1/audio/speech', body: { ...own, input: 'hello world', voice: 'alloy' } };
  return { path: '/v1/chat/completions', body: { ...streamed, messages } };
}

/** The model in the body of a request to a vendor. */
export function modelIn(body: Buffer): string | undefined {
  const value: unknown = JSON.parse(body.toString());
  return isObject(value) && typeof value.model === 'string' ? textOf(value.model) : undefined;
}
