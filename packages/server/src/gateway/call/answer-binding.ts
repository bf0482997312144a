import { createHash, hash, type Hash } from 'node:crypto';
import { isObject, parseObject } from '../../lib/json.ts';
import type { BoundAnswer } from '../../services/calls/metering/index.ts';

/** Bytes of an upstream's answer that are read for its names: a whole JSON body, or the first events of a stream. */
const maxRead = 256 * 1024;
/** Characters of a name. */
const maxName = 200;

/**
 * Binds a call to its answer, for its signed receipt: hashes the bytes that the caller gets, and reads what the vendor calls
 * the answer. Calls have one only while the site signs receipts.
 */
export class AnswerBinding {
  /** Of what was sent before the end: an answer in one piece needs none. */
  private begun: Hash | undefined;
  private bytes = 0;
  private read: Buffer[] = [];
  private readBytes = 0;
  /** True once the hash is in the receipt: nothing but the end of the answer may follow. */
  isClosed = false;

  /** An upstream answers; what another one said before does not count. */
  begin(): void {
    this.read = [];
    this.readBytes = 0;
  }

  /** Takes bytes as the upstream sent them. */
  received(chunk: Buffer): void {
    if (this.readBytes >= maxRead) return;
    this.readBytes += chunk.length;
    this.read.push(chunk);
  }

  /** Takes bytes that were sent to the caller; those of `close` may be sent later. */
  sent(chunk: Buffer): void {
    if (this.isClosed) return;
    this.bytes += chunk.length;
    (this.begun ??= createHash('sha256')).update(chunk);
  }

  /** The answer with the bytes that are still to be sent. */
  close(rest: readonly Buffer[]): BoundAnswer {
    const last = rest.length === 1 ? rest[0]! : Buffer.concat(rest);
    const sha256 = this.begun ? this.begun.update(last).digest('hex') : hash('sha256', last);
    this.isClosed = true;
    const names = namesIn(Buffer.concat(this.read).toString('utf8'));
    this.read = [];
    return { ...names, bytes: this.bytes + last.length, sha256 };
  }
}

type Names = Pick<BoundAnswer, 'id' | 'model' | 'fingerprint'>;

/** The names in an answer: a JSON body, or the first event of a stream that has an id. */
function namesIn(text: string): Names {
  const whole = /^\s*[[{]/.test(text);
  const parts = whole ? [text] : text.split(/\r\n|\r|\n/).flatMap((line) => dataOf(line));
  for (const part of parts) {
    const names = namesOf(parseFirst(part));
    if (names.id !== '') return names;
  }
  return namesOf({});
}

const dataOf = (line: string): string[] => (line.startsWith('data:') ? [line.slice('data:'.length)] : []);

type Fields = Readonly<Record<string, unknown>>;

/** The object of a text, or the first one of a list. */
function parseFirst(text: string): Fields {
  const found = parseObject(text);
  if (found) return found;
  const [first] = /^\s*\[/.test(text) ? listOf(text) : [];
  return isObject(first) ? first : {};
}

function listOf(text: string): unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return [];
  }
}

/** Names as OpenAI, Anthropic (in `message`), Responses (in `response` of its events) and Google have them. */
function namesOf(answer: Fields): Names {
  const inner = [answer['message'], answer['response']].find(isObject) ?? answer;
  return {
    id: nameIn(inner, 'id', 'responseId'),
    model: nameIn(inner, 'model', 'modelVersion'),
    fingerprint: nameIn(inner, 'system_fingerprint'),
  };
}

function nameIn(fields: Fields, ...names: string[]): string {
  const value = names.map((name) => fields[name]).find((each) => typeof each === 'string');
  return typeof value === 'string' ? value.slice(0, maxName).toWellFormed() : '';
}
