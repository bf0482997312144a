import type { Usage } from '@tollgate/contract';
import type { ChatEvent, AnswerName, ChatStreamWriter, WriterOptions } from '../../../types/index.ts';
import { writeGeminiUsage } from '../../../families/google/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { CandidateWriter } from './write-candidate.ts';

/** Common fields of every chunk and every answer. */
function headOf(event: Extract<ChatEvent, { type: 'start' }> | undefined, name: AnswerName): JsonObject {
  return { modelVersion: event?.model || name.model, responseId: event?.id || name.requestId };
}

const content = (parts: JsonObject[]): JsonObject => ({ content: { parts, role: 'model' } });

/** Gathers the candidates of an answer. */
class Candidates {
  private readonly writers = new Map<number, CandidateWriter>();

  at(choice: number): CandidateWriter {
    let writer = this.writers.get(choice);
    if (!writer) this.writers.set(choice, (writer = new CandidateWriter()));
    return writer;
  }

  /** The end of each candidate with its index; one empty candidate if there is none. */
  ends(): [number, ReturnType<CandidateWriter['end']>][] {
    return [...this.writers].map(([index, writer]) => [index, writer.end()]);
  }
}

/** Writes neutral events as chunks. The last one has usage and finish reasons, as in Gemini's own streams. */
export class GeminiWriter implements ChatStreamWriter {
  private readonly options: WriterOptions;
  private readonly candidates = new Candidates();
  private head: JsonObject;
  /** The head as JSON members: every piece of the answer repeats it. */
  private headText: string;
  private usage: Usage | undefined;

  constructor(options: WriterOptions) {
    this.options = options;
    this.head = headOf(undefined, options.fallback);
    this.headText = members(this.head);
  }

  write(event: ChatEvent): string {
    if (event.type === 'error') return '';
    if (event.type === 'start') {
      this.head = headOf(event, this.options.fallback);
      this.headText = members(this.head);
    } else if (event.type === 'usage') this.usage = event.isPartial ? this.usage : event.usage;
    else {
      const part = this.candidates.at(event.choice).write(event);
      if (event.type === 'text-delta')
        return this.piece(`{"text":${JSON.stringify(event.text)}}`, event.choice);
      if (part) return this.piece(JSON.stringify(part), event.choice);
    }
    return '';
  }

  /** The output of `chunk`, built as text because most of a stream consists of such pieces. */
  private piece(part: string, choice: number): string {
    return `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":${choice}}],${this.headText}}\r\n\r\n`;
  }

  end(): string {
    const candidates = this.candidates.ends().map(([index, { parts, fields }]) => ({
      ...content(parts.length > 0 ? parts : [{ text: '' }]),
      ...fields,
      index,
    }));
    return chunk({ candidates, ...usageOf(this.usage), ...this.head });
  }
}

/** The members of an object as JSON, without its braces. */
const members = (fields: JsonObject): string => JSON.stringify(fields).slice(1, -1);

const chunk = (body: JsonObject): string => `data: ${JSON.stringify(body)}\r\n\r\n`;

const usageOf = (usage: Usage | undefined): JsonObject =>
  usage ? { usageMetadata: writeGeminiUsage(usage) } : {};

/** Writes the events of one answer as a whole one: deltas of the same kind are one part. */
export function writeGeminiAnswer(events: readonly ChatEvent[], { fallback }: WriterOptions): JsonObject {
  const candidates = new Candidates();
  const parts = new Map<number, JsonObject[]>();
  let head = headOf(undefined, fallback);
  let usage: Usage | undefined;
  for (const event of events) {
    if (event.type === 'error') continue;
    if (event.type === 'start') head = headOf(event, fallback);
    else if (event.type === 'usage') usage = event.isPartial ? usage : event.usage;
    else {
      const part = candidates.at(event.choice).write(event);
      if (part) append(parts, event.choice, part);
    }
  }
  const list = candidates.ends().map(([index, end]) => ({
    ...content([...(parts.get(index) ?? []), ...end.parts]),
    ...end.fields,
    index,
  }));
  return { candidates: list, ...usageOf(usage), ...head };
}

function append(all: Map<number, JsonObject[]>, choice: number, part: JsonObject): void {
  const parts = all.get(choice) ?? [];
  all.set(choice, parts);
  const last = parts.at(-1);
  const isSame =
    typeof last?.text === 'string' &&
    typeof part.text === 'string' &&
    last.thought === part.thought &&
    last.thoughtSignature === undefined &&
    part.thoughtSignature === undefined;
  if (isSame) parts[parts.length - 1] = { ...last, text: `${last.text as string}${part.text as string}` };
  else parts.push(part);
}
