/** @module-tag rounds */
import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerTexts, fuzzCases, fuzzOptions } from '../testing/fuzz-texts.ts';
import { MemorySocket, turns } from '../testing/memory-socket.ts';
import { AnswerParser } from './answer-parser.ts';

/** A complete answer; undefined for a refused or incomplete one. */
interface Meaning {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

const byName = (headers: [string, string][]): [string, string][] =>
  headers.sort(([a, one], [b, other]) => (a < b || (a === b && one < other) ? -1 : 1));

/** Result of our parser for an answer followed by the end of the connection. */
function ours(texts: readonly string[]): Meaning | undefined {
  const parser = new AnswerParser();
  parser.start();
  const shared = Buffer.alloc(4_096);
  let head: ReturnType<AnswerParser['takeHead']>;
  let body = '';
  for (const text of texts) {
    if (parser.isComplete || parser.fault) break;
    shared.fill('?');
    parser.push(shared, shared.write(text, 'latin1'));
    head = parser.takeHead() ?? head;
    body += parser.takeData()?.toString('latin1') ?? '';
  }
  if (!parser.isComplete && !parser.fault) parser.close();
  if (!parser.isComplete || !head) return undefined;
  const headers = Object.entries(head.headers).flatMap(([name, value]) =>
    [value ?? ''].flat().map((each): [string, string] => [name, each]),
  );
  return { status: head.status, headers: byName(headers), body };
}

/** Result of Node's client (llhttp) for the same bytes. */
async function nodes(texts: readonly string[]): Promise<Meaning | undefined> {
  const socket = new MemorySocket();
  let status = 0;
  let raw: string[] = [];
  let body = '';
  let isWhole = false;
  const call = request({ host: 'a', method: 'POST', createConnection: () => socket as never }, (res) => {
    status = res.statusCode ?? 0;
    raw = res.rawHeaders;
    res.on('error', () => undefined);
    res.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
    res.on('end', () => (isWhole = res.complete));
  });
  call.on('error', () => undefined).end();
  await turns(1);
  for (const text of texts) {
    socket.feed(text);
    await turns(2);
  }
  if (!socket.destroyed) socket.push(null);
  await turns(3);
  socket.destroy();
  if (!isWhole) return undefined;
  const headers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    // The only header that we omit: no object can have an entry with this name.
    if (name !== '__proto__') headers.push([name, raw[at + 1]!]);
  }
  return { status, headers: byName(headers), body };
}

let whole = 0;

/** Every answer that we accept as complete is the same answer in Node. We may refuse answers that Node accepts. */
async function isNoLaxer(texts: readonly string[]): Promise<void> {
  const own = ours(texts);
  if (!own) return;
  whole += 1;
  const other = await nodes(texts);
  if (JSON.stringify(own) === JSON.stringify(other)) return;
  // Node may refuse bytes after an answer before it delivers the answer. With single-byte reads it delivers first.
  expect(own).toEqual(await nodes(Array.from(texts.join(''))));
}

describe('arbitrary bytes of upstreams', () => {
  it(
    `are parsed by our client as by Node's, or refused (${fuzzCases} cases)`,
    async () => {
      await fc.assert(fc.asyncProperty(answerTexts, isNoLaxer), fuzzOptions);
      // A minimum of compared answers keeps the test from passing without comparisons.
      expect(whole).toBeGreaterThan(fuzzCases / 20);
    },
    Math.max(120_000, fuzzCases * 10),
  );
});
