import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start, type Running } from './process.ts';
import { modelOf, type Subject, type UpstreamMode } from './subject.ts';

/** What the load generator reports; times in microseconds. */
export interface LoadResult {
  answered: number;
  failed: number;
  seconds: number;
  firstUs: { p50: number; p99: number };
  totalUs: { p50: number; p99: number };
}

/** How the requests come: `requests` in a closed loop, or `rate` a second for `seconds`. */
export type Shape =
  { connections: number; requests: number } | { connections: number; rate: number; seconds: number };

/** Sends prepared requests through the load generator, on a core that the subjects do not use. */
export class Loader {
  private readonly program: string;
  private readonly folder: string;
  private readonly core: number;

  constructor(program: string, folder: string, core: number) {
    this.program = program;
    this.folder = folder;
    this.core = core;
  }

  /** Writes a chat request of about `sizeBytes` and answers its file. */
  body(mode: UpstreamMode, sizeBytes: number): string {
    const stream = mode !== 'json';
    const request = (content: string) =>
      JSON.stringify({
        model: modelOf[mode],
        messages: [
          { role: 'system', content: 'You are a helpful assistant.' },
          { role: 'user', content },
        ],
        temperature: 0.7,
        max_tokens: 256,
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      });
    const words = 'The quick brown fox jumps over the lazy dog. ';
    const room = Math.max(0, sizeBytes - request('').length);
    const file = join(this.folder, `${mode}-${sizeBytes}.json`);
    writeFileSync(file, request(words.repeat(Math.ceil(room / words.length)).slice(0, room)));
    return file;
  }

  /** Runs one window. Throws when a single request failed: a figure over failures says nothing. */
  async run(subject: Subject, mode: UpstreamMode, body: string, shape: Shape): Promise<LoadResult> {
    const rest =
      'rate' in shape
        ? ['--rate', String(shape.rate), '--seconds', String(shape.seconds)]
        : ['--requests', String(shape.requests)];
    const load = this.start(subject, mode, body, shape.connections, rest);
    const result = JSON.parse(await load.line('"answered"', 130_000)) as LoadResult;
    await load.stop();
    if (result.failed > 0) {
      throw new Error(`${subject.name}, ${mode}: ${result.failed} requests failed\n${load.said()}`);
    }
    return result;
  }

  /** Opens `count` streams and keeps them open until the answered process is stopped. */
  async hold(subject: Subject, body: string, count: number, seconds: number): Promise<Running> {
    const load = this.start(subject, 'slow', body, count, ['--hold-seconds', String(seconds)]);
    await load.line('"open"', seconds * 1_000);
    return load;
  }

  private start(subject: Subject, mode: UpstreamMode, body: string, connections: number, rest: string[]) {
    const where = ['--port', String(subject.port(mode)), '--path', '/v1/chat/completions', '--body', body];
    const how = ['--auth', subject.key, '--connections', String(connections)];
    const args = [...where, ...how, '--done', mode === 'json' ? '0' : '1', ...rest];
    return start(this.program, args, { core: this.core });
  }
}
