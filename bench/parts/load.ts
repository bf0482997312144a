import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start, type Running } from './process.ts';
import { type Protocol, protocols } from './protocols.ts';
import { modelFor, type Subject, type UpstreamMode } from './subject.ts';

/** Report of the load generator; times in microseconds. */
export interface LoadResult {
  answered: number;
  failed: number;
  seconds: number;
  firstUs: { p50: number; p99: number };
  totalUs: { p50: number; p99: number };
}

/** Pattern of requests: `requests` in a closed loop, or `rate` per second for `seconds`. */
export type Shape =
  | { connections: number; requests: number }
  | { connections: number; rate: number; seconds: number };

interface Call {
  subject: Subject;
  mode: UpstreamMode;
  /** File of the prepared request. */
  body: string;
  protocol: Protocol;
}

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

  /** Writes a request of about `sizeBytes` in a protocol; returns its file. */
  body(
    mode: UpstreamMode,
    sizeBytes: number,
    protocol: Protocol = 'chat',
    { modelPrefix = '' }: Pick<Subject, 'modelPrefix'> = {},
  ): string {
    const client = protocols[protocol];
    const model = modelPrefix + modelFor(mode, protocol);
    const request = (content: string) => JSON.stringify(client.write(model, content, mode !== 'json'));
    const words = 'The quick brown fox jumps over the lazy dog. ';
    const room = Math.max(0, sizeBytes - request('').length);
    const file = join(
      this.folder,
      `${modelPrefix.replaceAll('/', '-')}${protocol}-${mode}-${sizeBytes}.json`,
    );
    writeFileSync(file, request(words.repeat(Math.ceil(room / words.length)).slice(0, room)));
    return file;
  }

  /** Runs one window. Throws if any request failed, because figures with failures are meaningless. */
  async run(
    subject: Subject,
    mode: UpstreamMode,
    body: string,
    shape: Shape,
    protocol: Protocol = 'chat',
  ): Promise<LoadResult> {
    const rest =
      'rate' in shape
        ? ['--rate', String(shape.rate), '--seconds', String(shape.seconds)]
        : ['--requests', String(shape.requests)];
    const load = this.start({ subject, mode, body, protocol }, shape.connections, rest);
    const result = JSON.parse(await load.line('"answered"', 130_000)) as LoadResult;
    await load.stop();
    if (result.failed > 0) {
      throw new Error(`${subject.name}, ${mode}: ${result.failed} requests failed\n${load.printed()}`);
    }
    return result;
  }

  /** Opens `count` streams and keeps them open until the returned process is stopped. */
  async hold(subject: Subject, body: string, count: number, seconds: number): Promise<Running> {
    const call = { subject, mode: 'slow', body, protocol: 'chat' } as const;
    const load = this.start(call, count, ['--hold-seconds', String(seconds)]);
    await load.line('"open"', seconds * 1_000);
    return load;
  }

  private start({ subject, mode, body, protocol }: Call, connections: number, rest: string[]) {
    const { path, done } = protocols[protocol];
    const where = [
      '--port',
      String(subject.port(mode)),
      '--path',
      (subject.pathPrefix ?? '') + path(modelFor(mode, protocol)),
      '--body',
      body,
    ];
    const keys = subject.keysFile ? ['--keys', subject.keysFile] : ['--auth', subject.key];
    const how = [...keys, '--connections', String(connections)];
    const args = [...where, ...how, '--done', mode === 'json' ? '' : done, ...rest];
    return start(this.program, args, { core: this.core });
  }
}
